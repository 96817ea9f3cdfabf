// The field names are a contract with scripts: new ones may come, none changes or goes.
#include "reconciler/model/json_words.h"
#include "reconciler/model/plan_json.h"
#include "reconciler/model/plan_summary.h"
#include "reconciler/model/step_json.h"

namespace quorate::model {
namespace {

using base::Json;

Json line_or_null(int line) {
  return line > 0 ? Json(line) : Json(nullptr);
}

Json quorum_json(const Quorum& quorum) {
  return {{"voters", quorum.voters}, {"up", quorum.up}, {"needs", quorum.needs()}, {"can_lose", quorum.can_lose()}};
}

Json verdict_json(const Verdict& verdict) {
  Json ways = Json::array();
  for (const Way& way : verdict.instead) ways.push_back({{"text", way.text}, {"command", text_or_null(way.command)}});
  return {{"ruling", name_of(verdict.ruling)},
          {"rule", text_or_null(verdict.rule)},
          {"text", text_or_null(verdict.text)},
          {"arithmetic", text_or_null(verdict.arithmetic)},
          {"instead", std::move(ways)},
          {"until", verdict.until ? Json(base::to_string(*verdict.until)) : Json(nullptr)},
          {"exit_code", static_cast<int>(verdict.code)}};
}

Json reason_json(const Reason& reason) {
  Json evidence = Json::object();
  for (const auto& [name, value] : reason.evidence) evidence[name] = value;
  return {{"code", reason.code},
          {"text", reason.text},
          {"evidence", std::move(evidence)},
          {"file", text_or_null(reason.file)},
          {"line", line_or_null(reason.line)}};
}

Json claims_json(const std::vector<Claim>& claims) {
  Json list = Json::array();
  for (const Claim& claim : claims) list.push_back(claim_json(claim));
  return list;
}

Json step_json(const Step& step, std::size_t number, const Verdict* verdict) {
  Json object = Json::object();
  object["n"] = number;
  object["id"] = step.id;
  object["action"] = name_of(step.action);
  object["object"] = object_of(step.action);
  object["args"] = args_json(step.action);
  object["owner"] = step.owner;
  object["symbol"] = symbol_of(step);
  object["class"] = name_of(step.step_class);
  object["reason"] = reason_json(step.reason);
  object["risk"] = {{"level", name_of(step.risk)}, {"why", step.risk_why}};
  object["quorum"] = {{"before", quorum_json(step.before)}, {"after", quorum_json(step.after)}};
  object["undo"] = text_or_null(step.undo);
  object["needs"] = claims_json(step.needs);
  object["ensures"] = claims_json(step.ensures);
  object["approval"] = nullptr;  // nobody is asked for one before plans are carried out
  object["verdict"] = verdict == nullptr ? Json(nullptr) : verdict_json(*verdict);
  return object;
}

Json since_or_null(const Notice& notice) {
  return notice.since ? Json(base::to_string(*notice.since)) : Json();
}

Json notice_json(const Notice& notice) {
  return {{"code", notice.code},
          {"object", notice.object},
          {"field", text_or_null(notice.field)},
          {"want", text_or_null(notice.want)},
          {"have", text_or_null(notice.have)},
          {"level", name_of(notice.level)},
          {"text", notice.text},
          {"help", text_or_null(notice.help)},
          {"drift", notice.drift},
          {"since", since_or_null(notice)},
          {"ignored", text_or_null(notice.ignored)},
          {"file", text_or_null(notice.file)},
          {"line", line_or_null(notice.line)}};
}

// "member/etcd-c" -> "/members/etcd-c", "etcd.quota" -> "/etcd/quota": where the file would say it.
std::string path_of(const Notice& notice) {
  std::string path = notice.field.empty() ? notice.object : notice.field;
  if (notice.field.empty()) {
    if (path.compare(0, 7, "member/") == 0) path.insert(6, "s");
  } else {
    for (char& c : path) {
      if (c == '.') c = '/';
    }
  }
  return "/" + path;
}

// The part of the notices that a check for drift is about.
Json drift_json(const std::vector<Notice>& notices) {
  Json list = Json::array();
  for (const Notice& notice : notices) {
    if (!notice.drift || !notice.ignored.empty()) continue;
    list.push_back({{"path", path_of(notice)},
                    {"object", notice.object},
                    {"reason", notice.code},
                    {"want", text_or_null(notice.want)},
                    {"have", text_or_null(notice.have)},
                    {"since", since_or_null(notice)},
                    {"severity", name_of(notice.level)}});
  }
  return list;
}

Json summary_json(const Summary& summary) {
  return {{"add", summary.add},
          {"change", summary.change},
          {"remove", summary.remove},
          {"replace", summary.replace},
          {"actions", summary.actions},
          {"blocked", summary.blocked},
          {"risk", name_of(summary.risk)},
          {"approvals", summary.approvals}};
}

Json steps_json(const Gated& gated) {
  Json list = Json::array();
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    const Verdict* verdict = i < gated.verdicts.size() ? &gated.verdicts[i] : nullptr;
    list.push_back(step_json(gated.plan.steps[i], i + 1, verdict));
  }
  return list;
}

}  // namespace

std::string to_json(const Gated& gated, const PlanContext& context) {
  const Plan& plan = gated.plan;
  const Summary summary = summarise(gated);
  Json root = Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "plan";
  root["id"] = plan.id;
  root["status"] = name_of(plan.status);
  root["exit_code"] = static_cast<int>(gated.code);
  root["stop_code"] = static_cast<int>(plan.stop);
  root["complete"] = is_complete(gated);
  root["applicable"] = gated.applicable;
  root["cluster"] = {{"name", plan.cluster}, {"id", id_or_null(plan.cluster_id.value)}};
  root["desired"] = {
      {"source", context.source}, {"file", context.file}, {"sha256", context.sha256}, {"digest", plan.desired_digest}};
  root["observed"] = {{"at", time_or_null(context.observed_at)},
                      {"by", context.observed_by},
                      {"answered", context.answered},
                      {"silent", context.silent},
                      {"silence", context.silence},
                      {"etcd_version", text_or_null(context.etcd_version)},
                      {"client_urls", context.client_urls}};
  root["summary"] = summary_json(summary);
  root["quorum"] = {
      {"now", quorum_json(plan.now)}, {"worst", quorum_json(summary.worst)}, {"after", quorum_json(summary.after)}};
  root["drift"] = drift_json(plan.notices);
  root["steps"] = steps_json(gated);
  root["verdict"] = gated.whole ? verdict_json(*gated.whole) : Json(nullptr);
  root["notices"] = Json::array();
  for (const Notice& notice : plan.notices) root["notices"].push_back(notice_json(notice));
  root["checks"] = Json::array();
  for (const Check& check : gated.checks) {
    root["checks"].push_back({{"id", check.id}, {"result", check.passed ? "pass" : "fail"}});
  }
  root["expires_at"] = context.expires_at ? Json(base::to_string(*context.expires_at)) : Json(nullptr);
  return document_text(root);
}

}  // namespace quorate::model

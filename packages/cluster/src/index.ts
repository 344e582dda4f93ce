// Who may do what
export type { AdmissionPlugins } from "./access/admission/admission-control.ts";
export type { AuthorizationMode } from "./access/access-control.ts";
export { comparePermissions, leastPrivilege } from "./access/least-privilege.ts";
export type {
  LeastPrivilegeOptions,
  NeededPermissions,
  PermissionComparison,
} from "./access/least-privilege.ts";
export type { PolicyRule } from "./access/rbac/policy-rule.ts";
export type { RecordedRequest, RecordingFilter, RequestRecording } from "./access/request-recorder.ts";
export { serviceAccountUser } from "./access/service-account-tokens.ts";

export type {
  ServiceHandler,
  ServiceReference,
  ServiceResolver,
  ServiceTarget,
} from "./access/webhook/webhook-client.ts";

// The cluster
export { createCluster } from "./cluster.ts";
export type { Cluster, ClusterOptions, ListenOptions, Listening } from "./cluster.ts";
export { ListenError } from "./server/http-server.ts";
export { adminUser, anonymousUser } from "./registry/user.ts";
export type { UserInfo } from "./registry/user.ts";
export type { HistoryPolicy } from "./store/bucket.ts";

// Simulated nodes
export type { ContainerFile, ContainerFiles } from "./nodes/container-files.ts";
export type {
  ContainerProcess,
  Delay,
  ExecProcess,
  ImageBehavior,
  ImageBehaviors,
  PodConnection,
  ProbeType,
  Terminal,
} from "./nodes/image-behavior.ts";
export type { MetricQuery, MetricScript, Usage } from "./controllers/autoscaler/metric-source.ts";
export type { TerminalSize } from "./session-port.ts";
export type { SimulatedNodeOptions } from "./nodes/simulated-node.ts";
export { parseStages } from "./nodes/stages/parse-stages.ts";
export { StageError } from "./nodes/stages/stage.ts";
export type {
  Stage,
  StageApply,
  StageDelay,
  StageEvent,
  StageExpression,
  StageFinalizers,
  StageNext,
  StagePatch,
  StageRequirement,
  StageSelector,
  StageStep,
  StageUser,
} from "./nodes/stages/stage.ts";
export type { SimulatedNodes } from "./nodes/simulated-nodes.ts";

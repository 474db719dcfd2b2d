export type { CommandAnswer, CommandRequest, Commands, OpenCommands } from './commands.ts'
export type { CompleteConnection } from './complete-connection.ts'
export { completeConnection } from './complete-connection.ts'
export type {
  Clock,
  Context,
  Files,
  Http,
  HttpHandler,
  HttpReply,
  HttpRequest,
  ListenOptions,
  Log,
  Notice,
  PlatformContext,
  RouteOptions,
  Secrets,
  Skills,
  State,
  ToolContext,
} from './context.ts'
export type {
  ArgsOf,
  CommandsDefinition,
  ConfigOf,
  Entry,
  HooksDefinition,
  PlatformDefinition,
  PluginDefinition,
  ProviderDefinition,
  SkillDefinition,
  ToolDefinition,
  ToolsetDefinition,
  WebBackendDefinition,
} from './define.ts'
export { definePlugin } from './define.ts'
export type { ErrorCode, ErrorParams } from './errors.ts'
export { AgentError, fail, fromWireError, isAgentError, toWireError } from './errors.ts'
export type { HookAnswer, HookEvents, HookName, HookRun, Hooks, OpenHooks } from './hooks.ts'
export { hookKinds } from './hooks.ts'
export type {
  CodeKind,
  CommandsManifest,
  ContractKind,
  EnvManifest,
  HooksManifest,
  Manifest,
  ManifestInput,
  PlatformManifest,
  ProviderManifest,
  SkillManifest,
  ToolManifest,
  ToolsetManifest,
  WebBackendManifest,
} from './manifest.ts'
export { contractKinds, manifestSchema } from './manifest.ts'
export type { Block, Dialect, Inline } from './markup.ts'
export { plainDialect, prefixLines, renderInline, renderMarkup, replaceTables } from './markup.ts'
export { requireReach } from './may-reach.ts'
export type {
  Accepted,
  Attachment,
  Button,
  Command,
  Conversation,
  Identity,
  InboundMessage,
  MediaKind,
  MessageRef,
  Mood,
  OutboundMedia,
  OutboundMessage,
  Press,
  PressAnswer,
  Receipt,
  Sender,
} from './messages.ts'
export type {
  AssistantPart,
  InputPart,
  ModelErrorClass,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ReasoningEffort,
  StopReason,
  ToolOutcome,
  ToolSpec,
  Usage,
} from './model.ts'
export { modelErrorClasses } from './model.ts'
export type { Connection, Platform } from './platform.ts'
export type { ModelSource, Provider } from './provider.ts'
export type { ParsedSkill, Skill, SkillSummary } from './skill.ts'
export { parseSkill, skillFileLimit } from './skill.ts'
export type { OpenToolset, ToolCall, ToolResult, ToolRun, Toolset } from './toolset.ts'
export type { ApprovalChoice, SessionRef, TurnEvent, TurnRequest, TurnStatus, Turns } from './turn.ts'
export type { WebCrawl, WebHit, WebPage, WebSearch, WebSource } from './web.ts'
export type { WebBackend } from './web-backend.ts'
export type { Blob, Call, IsWire, Wire, WireError } from './wire.ts'
export { crosses } from './wire.ts'

export type {
  AuxiliaryModels,
  Clock,
  CommandSandbox,
  CommandWish,
  Context,
  EndedCommand,
  Files,
  Http,
  HttpAdmit,
  HttpHandler,
  HttpHead,
  HttpReply,
  HttpRequest,
  ListenOptions,
  Log,
  Notice,
  PlatformContext,
  PreparedCommand,
  ProviderContext,
  RouteOptions,
  Secrets,
  Skills,
  State,
  ToolContext,
} from './contract/context.ts'
export type { ErrorCode, ErrorParams } from './contract/errors.ts'
export { AgentError, fail, fromWireError, isAgentError, toWireError } from './contract/errors.ts'
export type { HookAnswer, HookEvents, HookName, HookRun } from './contract/hooks.ts'
export { hookKinds } from './contract/hooks.ts'
export type { ImageLook, ImageShape, ImageSource, Images, ImageWish } from './contract/image.ts'
export { imageShapes, imageTypeOf, maxImagePiece } from './contract/image.ts'
export type { JsonLimits } from './contract/json-excess.ts'
export { findJsonExcess } from './contract/json-excess.ts'
export type { Block, Dialect, Inline } from './contract/markup.ts'
export { plainDialect, prefixLines, renderInline, renderMarkup, replaceTables } from './contract/markup.ts'
export type { DeclaredNet } from './contract/may-reach.ts'
export { mayReach, requireReach } from './contract/may-reach.ts'
export type { MemoryBlock, MemoryChange, MemoryHit, MemoryOwner, PastMessage } from './contract/memory.ts'
export type {
  Accepted,
  Attachment,
  Button,
  Command,
  Conversation,
  Identity,
  InboundMessage,
  LostSend,
  MediaKind,
  MessageRef,
  Mood,
  OutboundMedia,
  OutboundMessage,
  Press,
  PressAnswer,
  Receipt,
  Sender,
} from './contract/messages.ts'
export type {
  AssistantPart,
  InputPart,
  ModelErrorClass,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ReasoningEffort,
  StopReason,
  ToolChoice,
  ToolOutcome,
  ToolSpec,
  Usage,
} from './contract/model.ts'
export { modelErrorClasses } from './contract/model.ts'
export type { PanelAnswer, PanelAnswers, PanelRecord } from './contract/panel.ts'
export { findAnswerMisfit } from './contract/panel.ts'
export type { ParsedSkill, Skill, SkillSummary } from './contract/skill.ts'
export { parseSkill, skillFileLimit } from './contract/skill.ts'
export type { LinkedSignals, TimeLimit } from './contract/time-limit.ts'
export { isOverWithin, linkSignals, withTimeLimit } from './contract/time-limit.ts'
export type {
  ApprovalChoice,
  ClientCall,
  ResponseFormat,
  SessionRef,
  TurnEvent,
  TurnRequest,
  TurnStatus,
  Turns,
} from './contract/turn.ts'
export type { WebCrawl, WebHit, WebPage, WebSearch, WebSource } from './contract/web.ts'
export type { Blob, Call, IsWire, Wire, WireError } from './contract/wire.ts'
export { crosses } from './contract/wire.ts'
export type { Compressed, CompressRequest, OpenContextEngine } from './kinds/compress/compress.ts'
export { estimateTokens, findCompressedMisfit } from './kinds/compress/compress.ts'
export type { CompleteConnection } from './kinds/connection/complete-connection.ts'
export { completeConnection } from './kinds/connection/complete-connection.ts'
export type { ArgsOf, ConfigOf, Definitions, Entry, PluginDefinition } from './kinds/define.ts'
export { definePlugin, defineTools } from './kinds/define.ts'
export type * from './kinds/kinds.ts'
export type { EnvManifest, Manifest, ManifestInput } from './kinds/manifest.ts'
export { manifestSchema } from './kinds/manifest.ts'

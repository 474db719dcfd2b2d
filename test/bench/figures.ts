import type { Figure } from './figure.ts'
import { delegationOverhead } from './figures/agents/delegation-overhead.ts'
import { mcp } from './figures/agents/mcp.ts'
import { apiStream } from './figures/api-stream.ts'
import { apiTurns } from './figures/api-turns.ts'
import { longTalk } from './figures/context/long-talk.ts'
import { durableMessages } from './figures/durable-messages.ts'
import { extensionHost } from './figures/extension-host.ts'
import { checkpointCap } from './figures/files/checkpoint-cap.ts'
import { checkpoints } from './figures/files/checkpoints.ts'
import { gatewayStart } from './figures/gateway-start.ts'
import { hookDispatch } from './figures/hook-dispatch.ts'
import { installSize } from './figures/install-size.ts'
import { jobsDue } from './figures/jobs/jobs-due.ts'
import { manyTools } from './figures/many-tools.ts'
import { memoryGrowth } from './figures/memory-growth.ts'
import { messaging } from './figures/messaging.ts'
import { models } from './figures/models/models.ts'
import { oneShot } from './figures/one-shot.ts'
import { pluginSlope } from './figures/plugin-slope.ts'
import { pluginsList } from './figures/plugins-list.ts'
import { promptSize } from './figures/prompt-size.ts'
import { recall } from './figures/recall.ts'
import { reload } from './figures/reload.ts'
import { sandboxedChild } from './figures/sandbox/sandboxed-child.ts'
import { sandboxedCommand } from './figures/sandbox/sandboxed-command.ts'
import { storedSessions } from './figures/stored-sessions.ts'
import { telemetry } from './figures/telemetry.ts'
import { renderTokens } from './figures/terminal/render-tokens.ts'
import { startToPrompt } from './figures/terminal/start-to-prompt.ts'
import { thirdParty } from './figures/third-party.ts'
import { version } from './figures/version.ts'
import { dashboard } from './figures/web/dashboard.ts'
import { webPages } from './figures/web/pages.ts'

/** In the order of the table. */
export const figures: readonly Figure[] = [
  version,
  pluginsList,
  oneShot,
  startToPrompt,
  gatewayStart,
  pluginSlope,
  apiTurns,
  telemetry,
  apiStream,
  memoryGrowth,
  promptSize,
  manyTools,
  delegationOverhead,
  mcp,
  hookDispatch,
  extensionHost,
  thirdParty,
  sandboxedCommand,
  sandboxedChild,
  checkpoints,
  checkpointCap,
  storedSessions,
  recall,
  longTalk,
  jobsDue,
  installSize,
  durableMessages,
  messaging,
  reload,
  dashboard,
  webPages,
  renderTokens,
  models,
]

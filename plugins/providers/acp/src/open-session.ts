import type { AgentProcess } from './agent-process.ts'
import { type Capabilities, type Session, session } from './wire.ts'

/** An agent that has said what it can. */
export interface OpenedAgent {
  readonly process: AgentProcess
  readonly folder: string
  readonly capabilities: Capabilities
}

export async function openSession({ process, folder }: OpenedAgent): Promise<Session> {
  return session.parse(await process.request('session/new', { cwd: folder, mcpServers: [] }))
}

/** The models that an agent offers in its sessions; `default` is the one that it takes by itself. */
export function listModels({ configOptions, models }: Session): readonly string[] {
  const chosen = configOptions?.find(({ category }) => category === 'model')
  const values = chosen?.options.flatMap((each) => ('value' in each ? [each.value] : each.options.map(({ value }) => value)))
  return [...new Set(['default', ...(values ?? models?.availableModels.map(({ modelId }) => modelId) ?? [])])]
}

/** Lets a session use a model; false where it is not on offer. */
export async function chooseModel({ process }: OpenedAgent, opened: Session, model: string): Promise<boolean> {
  if (model === 'default') return true
  if (!listModels(opened).includes(model)) return false
  const { sessionId, configOptions } = opened
  const option = configOptions?.find(({ category }) => category === 'model')
  if (option) await process.request('session/set_config_option', { sessionId, configId: option.id, value: model })
  else await process.request('session/set_model', { sessionId, modelId: model })
  return true
}

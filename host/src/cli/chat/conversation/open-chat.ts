import type { SessionRef, TurnRequest } from '@agent/plugin-sdk'
import { type OpenAgent, openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import { applySafeMode } from '#rpc/home/safe-mode.ts'
import { seedHome } from '#rpc/skills/seed-home.ts'
import { formatFollowed, formatSkill } from '#skills/secrets/followed.ts'
import type { Cli } from '../../console/cli.ts'
import { formHints } from '../../console/own-command.ts'
import type { ChatOptions } from './chat-options.ts'

/** Opens the agent the way the flags of `agent chat` ask for; it works in the folder the person is in. Tells settings without effect. */
export async function openChat(cli: Cli, options: ChatOptions): Promise<OpenAgent> {
  seedHome(cli, options)
  const agent = await openAgent({
    installRoot: cli.installRoot,
    ...applySafeMode(cli, options),
    profile: cli.profile,
    workspace: cli.cwd,
    ignoreRules: options.ignoreRules === true,
    checkpoints: options.checkpoints === true,
    ownCommands: ownNames,
    // What the program says before anybody has spoken.
    note: (text) => cli.note(formHints(text, cli)),
  })
  for (const sentence of await agent.silentSettings()) cli.note(sentence)
  return agent
}

/** The session that `-c` or `--resume` names; undefined starts a new one. Says so where another model goes on with it than began it. */
export async function findChatSession(cli: Cli, agent: OpenAgent, options: ChatOptions): Promise<SessionRef | undefined> {
  const wanted = options.resume ?? (options.continue === true ? 'latest' : options.continue)
  if (wanted === undefined) return undefined
  const sources = wanted === 'latest' ? { sources: ['cli', 'oneshot'] } : {}
  const { id, provider, model } = await agent.store.sessions.resolve(wanted, sources)
  const now = chosenNow(agent, options)
  if (now && (now.provider !== provider || now.model !== model)) {
    cli.note(`${now.provider}/${now.model} goes on with this conversation, which began with ${provider}/${model}.`)
  }
  return { id }
}

/** The model that the next message goes to; undefined where it will say what is missing. */
export function chosenNow(agent: OpenAgent, options: ChatOptions): ReturnType<OpenAgent['choose']> | undefined {
  try {
    return agent.choose(options)
  } catch {
    // The first message says it.
    return undefined
  }
}

/** What the flags want of each turn of this run. */
export type Wish = Pick<TurnRequest, 'provider' | 'model' | 'instructions'>

export async function readWish({ skills }: Pick<OpenAgent, 'skills'>, options: ChatOptions): Promise<Wish> {
  const names = [...new Set((options.skills ?? '').split(',').map((name) => name.trim()))].filter((name) => name !== '')
  const texts: string[] = []
  for (const name of names) texts.push(formatSkill(name, await skills.view({ name })))
  return {
    ...(options.provider ? { provider: options.provider } : {}),
    ...(options.model ? { model: options.model } : {}),
    ...(texts.length > 0 ? { instructions: formatFollowed(texts) } : {}),
  }
}

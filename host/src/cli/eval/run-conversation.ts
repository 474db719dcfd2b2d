import { basename, dirname, resolve } from 'node:path'
import { type TurnEvent, withTimeLimit } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { type OpenAgent, openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import { allToolsets } from '#config/toolsets-from.ts'
import { judgeTurn, type SeenCall } from '#eval/judge-turn.ts'
import type { WrittenConversation } from '#eval/read-conversations.ts'
import type { TriedConversation } from '#eval/tried-conversation.ts'
import { createSlashServices } from '#rpc/slash/slash-services.ts'
import { createConversation, type Talk } from '../chat/conversation/conversation.ts'
import type { Audience } from '../chat/conversation/talk.ts'
import type { Cli } from '../console/cli.ts'
import { openWorld, type World } from './open-world.ts'
import type { WorldSettings } from './world-settings.ts'

export interface TryConversationOptions {
  readonly cli: Pick<Cli, 'installRoot' | 'environment' | 'signal'>
  readonly settings: WorldSettings
  readonly wish: { readonly provider?: string; readonly model?: string }
}

/** Where a turn has no budget of time. */
const longestTurn = 600

/** Runs a conversation in a home for it alone, up to the first turn that did not come to what was expected. */
export async function runConversation(conversation: WrittenConversation, options: TryConversationOptions): Promise<TriedConversation> {
  const { file, name } = { file: conversation.shownFile, name: conversation.name }
  const nothing = { file, name, seconds: 0, tokens: 0, calls: 0, model: '' }
  if (options.cli.signal.aborted) return { ...nothing, status: 'stopped', problems: [] }
  using world = openWorld(conversation, options.settings, options.cli.environment)
  if (world.problems.length > 0) return { ...nothing, status: 'failed', problems: world.problems }
  try {
    return await talkIn(world, conversation, options, nothing)
  } catch (error) {
    if (options.cli.signal.aborted) return { ...nothing, status: 'stopped', problems: [] }
    if (!isAgentError(error)) throw error
    return { ...nothing, status: 'failed', problems: [`${conversation.placeOf([])}: ${error.message}`] }
  }
}

type Nothing = Omit<TriedConversation, 'status' | 'problems'>

async function talkIn(
  world: World,
  conversation: WrittenConversation,
  options: TryConversationOptions,
  nothing: Nothing,
): Promise<TriedConversation> {
  const { cli } = options
  const agent = await openAgent({
    ...{ installRoot: cli.installRoot, environment: world.environment, profile: undefined, workspace: world.workspace },
    ...{ ownCommands: ownNames, note: () => undefined },
  })
  try {
    return await takeTurns(agent, world, { conversation, options, nothing })
  } finally {
    await agent.close()
  }
}

/** What the agent does while a turn runs. */
interface Heard {
  answer: string
  calls: SeenCall[]
  tokens: number
  problems: string[]
  /** `provider/model` that answered. */
  model: string
}

async function takeTurns(
  agent: OpenAgent,
  world: World,
  {
    conversation,
    options,
    nothing,
  }: { readonly conversation: WrittenConversation; readonly options: TryConversationOptions; readonly nothing: Nothing },
): Promise<TriedConversation> {
  const { signal } = options.cli
  const sum = { seconds: 0, tokens: 0, calls: 0, model: '' }
  const heard = silence()
  const broken = await findBroken(agent, conversation)
  if (broken.length > 0) return { ...nothing, status: 'failed', problems: broken }
  const stage = openStage(agent, world, { conversation, options, heard })
  try {
    for (const [index, turn] of conversation.turns.entries()) {
      Object.assign(heard, silence())
      const placeOf: WrittenConversation['placeOf'] = (path) => conversation.placeOf(['turns', index, ...path])
      const seconds = await stage.say(turn.say, turn.budget.seconds ?? longestTurn)
      sum.seconds += seconds
      sum.tokens += heard.tokens
      sum.calls += heard.calls.length
      sum.model = heard.model
      if (signal.aborted) return { ...nothing, ...sum, status: 'stopped', problems: [] }
      const judged =
        heard.problems.length > 0
          ? heard.problems.map((problem) => withPlace(problem, placeOf(['say']), conversation.shownFile))
          : judgeTurn({ turn, seen: { ...heard, seconds }, readFile: world.readFile, placeOf })
      if (judged.length > 0) return { ...nothing, ...sum, status: 'failed', problems: judged }
    }
    return { ...nothing, ...sum, status: 'passed', problems: [] }
  } finally {
    await stage.close()
  }
}

/** What a step of the script says has its place already, which is the better one. */
function withPlace(problem: string, place: string, file: string): string {
  const at = problem.indexOf(`${file}:`)
  return at < 0 ? `${place}: ${problem}` : problem.slice(at)
}

/** A skill that nobody can follow would only be missed by its command, a toolset by its tools. */
async function findBroken({ skills, catalog }: OpenAgent, conversation: WrittenConversation): Promise<readonly string[]> {
  const { skills: wanted, toolsets = [], file, placeOf } = conversation
  const { broken } = wanted.length === 0 ? { broken: [] } : await skills.index()
  const known = catalog.of('toolset').flatMap(({ id, spec }) => [id, ...spec.sets])
  const problems = wanted.flatMap((path, index) => {
    const name = basename(resolve(dirname(file), path))
    const found = broken.find((each) => basename(dirname(each.file)) === name)
    return found ? [`${placeOf(['skills', index])}: the skill ${name} cannot be loaded: its SKILL.md ${found.problem}`] : []
  })
  const strange = toolsets.flatMap((name, index) =>
    [...known, ...allToolsets].includes(name)
      ? []
      : [`${placeOf(['toolsets', index])}: there is no toolset "${name}"; there are ${[...new Set(known)].sort().join(', ')}`],
  )
  return [...problems, ...strange]
}

const silence = (): Heard => ({ answer: '', calls: [], tokens: 0, problems: [], model: '' })

interface Stage {
  /** Says this and answers, when everything that came of it is over, how many seconds it took. */
  say(text: string, mostSeconds: number): Promise<number>
  close(): Promise<void>
}

function openStage(
  agent: OpenAgent,
  { workspace }: World,
  {
    conversation,
    options,
    heard,
  }: { readonly conversation: WrittenConversation; readonly options: TryConversationOptions; readonly heard: Heard },
): Stage {
  const { signal } = options.cli
  const approves = conversation.approve === true || conversation.approve === 'yes'
  const waiting = new Set<() => void>()
  let talk: Talk | undefined
  const audience = createAudience(heard, {
    answer: (question) => {
      if (question.type === 'clarify.request') void talk?.answer(question, nobody)
      else void talk?.answer(question, approves ? 'once' : 'deny')
    },
    changed: () => {
      for (const look of waiting) look()
    },
  })
  const services = createSlashServices({ ...options.cli, profile: undefined, note: () => undefined }, agent)
  const own = createConversation({ agent, services, wish: options.wish, session: undefined, folder: workspace, canAnswer: true, audience })
  talk = own
  const settled = (over: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!over.aborted && (own.isBusy() || own.background().length > 0)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      over.addEventListener('abort', look, { once: true })
      look()
    })
  return {
    async say(text, mostSeconds) {
      const began = agent.clock.now()
      own.enter({ text, shown: text })
      try {
        await withTimeLimit({ clock: agent.clock, signal, ms: mostSeconds * 1000, what: 'The turn' }, settled)
      } catch (error) {
        if (signal.aborted || !isAgentError(error)) throw error
        heard.problems.push(`it took more than the ${mostSeconds} seconds that it may`)
      }
      return (agent.clock.now() - began) / 1000
    },
    close: own.close,
  }
}

const nobody = 'Nobody is here to answer. Decide yourself.'

type Question = Parameters<Audience['ask']>[0]

function createAudience(heard: Heard, { answer, changed }: { answer(question: Question): void; changed(): void }): Audience {
  const say = (text: string): void => {
    heard.answer += heard.answer === '' ? text : `\n${text}`
  }
  return {
    begins: () => undefined,
    hear: (event) => hear(heard, event, say),
    ask: answer,
    say,
    sayRows: (rows) => say(rows.map((row) => JSON.stringify(row)).join('\n')),
    report: say,
    note: () => undefined,
    complain: (text) => heard.problems.push(text),
    changed,
    leave: () => undefined,
  }
}

function hear(heard: Heard, event: TurnEvent, say: (text: string) => void): void {
  if (event.type === 'message.start') heard.model = `${event.provider}/${event.model}`
  if (event.type === 'tool.start') heard.calls.push({ name: event.name, args: event.args })
  if (event.type === 'usage') heard.tokens += event.usage.input + event.usage.output
  if (event.type === 'error') heard.problems.push(event.text)
  if (event.type !== 'message.complete') return
  say(event.text)
  if (event.status === 'max-iterations') heard.problems.push('the agent took all of its steps and was not done')
  if (event.status === 'length') heard.problems.push('the answer was cut because it was too long')
}

import { isAgentError } from '@agent/plugin-sdk/errors'
import { type OpenAgent, openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import type { ConversationTurn } from '#eval/conversation-schema.ts'
import { judgeSpent, type TriedCost } from '#eval/judge-spent.ts'
import { judgeTurn } from '#eval/judge-turn.ts'
import type { WrittenConversation } from '#eval/read-conversations.ts'
import type { TriedConversation } from '#eval/tried-conversation.ts'
import { dayOf } from '#store/usage.ts'
import { countSpent } from './count-spent.ts'
import { findMissing } from './find-missing.ts'
import { type HeardTurn, openStage, type TalkStageOptions, type TimeOfTurn } from './open-stage.ts'
import { openWorld, type World } from './open-world.ts'
import type { WorldSettings } from './world-settings.ts'

export interface TryConversationOptions extends TalkStageOptions {
  readonly settings: WorldSettings
}

/** Where a turn has no budget of time. */
const longestTurn = 600

/** Runs a conversation in a home for it alone, up to the first turn that did not come to what was expected. */
export async function runConversation(conversation: WrittenConversation, options: TryConversationOptions): Promise<TriedConversation> {
  const { cli, settings } = options
  const sum = { file: conversation.shownFile, name: conversation.name, seconds: 0, tokens: 0, calls: 0, model: '' }
  let problems: readonly string[] = []
  try {
    if (!cli.signal.aborted) {
      using world = openWorld(conversation, settings, cli.environment)
      problems = world.problems.length > 0 ? world.problems : await talkIn(world, { conversation, options, sum })
    }
  } catch (error) {
    if (!cli.signal.aborted && !isAgentError(error)) throw error
    problems = [withPlace((error as Error).message, conversation.placeOf([]), conversation.shownFile)]
  }
  if (cli.signal.aborted) return { ...sum, status: 'stopped', problems: [] }
  return { ...sum, status: problems.length > 0 ? 'failed' : 'passed', problems }
}

interface Trial {
  readonly conversation: WrittenConversation
  readonly options: TryConversationOptions
  /** What its turns took; grows. */
  readonly sum: { seconds: number; tokens: number; calls: number; model: string }
}

async function talkIn(world: World, trial: Trial): Promise<readonly string[]> {
  const agent = await openAgent({
    ...{ installRoot: trial.options.cli.installRoot, environment: world.environment, profile: undefined, workspace: world.workspace },
    ...{ ownCommands: ownNames, otherHomes: trial.options.settings.homes, note: () => undefined },
  })
  try {
    const missing = await findMissing(agent, trial.conversation)
    return missing.length > 0 ? missing : await takeTurns(agent, world, trial)
  } finally {
    await agent.close()
  }
}

/** What the first turn that does not hold did wrong; nothing where all of them do. */
async function takeTurns(agent: OpenAgent, world: World, trial: Trial): Promise<readonly string[]> {
  const { conversation, options, sum } = trial
  const stage = openStage(agent, { ...options, folder: world.workspace, approves: isYes(conversation.approve) })
  const day = dayOf(agent.clock.now())
  try {
    for (const [index, turn] of conversation.turns.entries()) {
      const placeOf: WrittenConversation['placeOf'] = (path) => conversation.placeOf(['turns', index, ...path])
      const name = `turn ${index + 1} of ${conversation.turns.length}`
      const heard = await stage.say(turn.say, timeOf(trial, turn, name))
      addUp(sum, heard)
      const { budget } = conversation
      const spent = async (): Promise<TriedCost> => ({ ...sum, ...(await countSpent(agent, day)) })
      const problems =
        heard.problems.length > 0
          ? heard.problems.map((problem) => withPlace(problem, placeOf(['say']), conversation.shownFile))
          : [
              ...judgeTurn({ turn, seen: heard, readFile: world.readFile, placeOf }),
              ...judgeSpent({ budget, spent: await spent(), turn: name, placeOf: conversation.placeOf }),
            ]
      if (problems.length > 0) return problems
    }
    return []
  } finally {
    await stage.close()
  }
}

/** How long a turn may take: by its budget, or by what is left of that of the conversation. */
function timeOf({ conversation, sum }: Trial, turn: ConversationTurn, name: string): TimeOfTurn {
  const { seconds: whole = Number.POSITIVE_INFINITY } = conversation.budget
  const own = turn.budget.seconds ?? longestTurn
  const left = Math.max(0, whole - sum.seconds)
  if (own <= left) return { seconds: own, late: `it took more than the ${own} seconds that it may` }
  const place = conversation.placeOf(['budget', 'seconds'])
  return { seconds: left, late: `${place}: the conversation may take ${whole} seconds, and was stopped after them in ${name}` }
}

const isYes = (answer: WrittenConversation['approve']): boolean => answer === true || answer === 'yes'

function addUp(sum: Trial['sum'], { seconds, tokens, calls, model }: HeardTurn): void {
  sum.seconds += seconds
  sum.tokens += tokens
  sum.calls += calls.length
  if (model !== '') sum.model = model
}

/** What a step of the script says has its place already, which is the better one. */
function withPlace(problem: string, place: string, file: string): string {
  const at = problem.indexOf(`${file}:`)
  return at < 0 ? `${place}: ${problem}` : problem.slice(at)
}

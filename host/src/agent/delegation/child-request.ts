import type { TurnRequest } from '@agent/plugin-sdk'
import type { ToolTurn } from '#tools/tool-turn.ts'
import type { RequestBounds } from '../jobs/job-rights.ts'
import type { ChildOf } from './child-of.ts'
import type { ChildTask } from './delegate.ts'

const rules = [
  'You work on one task for another agent. It hears nothing of what you do but your last message.',
  'Do the task with your tools. Nobody answers questions: decide by yourself, and say what you took for granted.',
  'In your last message say what you did, what you found out, which files you changed, and what is left open.',
].join('\n')

/** What the turn of a parent and that of its child have in common: whom they serve, through which door, and by which model. */
interface Shared extends RequestBounds, Pick<TurnRequest, 'source' | 'canAnswer' | 'provider' | 'model' | 'reasoning' | 'store'> {
  readonly isPublic?: boolean
  readonly person?: string
  readonly approvals?: ToolTurn['approvals']
}

interface ChildRequest extends Shared, Pick<TurnRequest, 'input' | 'instructions'> {
  readonly owner: string
  readonly beginAs: string
  readonly child: ChildOf
}

/** The turn of a child: it hears its task and nothing of the conversation, and counts for the door, the person and the job of its parent. */
export function childRequest(parent: Shared, owner: string, child: ChildOf, { goal, context, session }: ChildTask): ChildRequest {
  const { source, canAnswer, provider, model, reasoning, store, isPublic, person, approvals, asDoors, toolsets, speakers, countsAs, job } =
    parent
  return {
    input: [{ type: 'text', text: context ? `${goal}\n\nWhat you have to know:\n${context}` : goal }],
    instructions: rules,
    ...{ source, canAnswer, owner, beginAs: session, child, asDoors, toolsets, speakers, countsAs, job },
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(store === undefined ? {} : { store }),
    ...(isPublic === undefined ? {} : { isPublic }),
    ...(person === undefined ? {} : { person }),
    ...(approvals === undefined ? {} : { approvals }),
  }
}

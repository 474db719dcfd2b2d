import type { ArgsOf, ToolContext, ToolResult, ToolRun, Toolset } from '@agent/plugin-sdk'
import { type Board, type Card, openBoard } from './board.ts'
import type { tools } from './tools.ts'

type Run<Name extends keyof typeof tools> = ToolRun<ArgsOf<typeof tools, Name>>

const toolset: Toolset = {
  async open(context) {
    const board = openBoard(context.state)
    return {
      tools: {
        kanban_create: create(board),
        kanban_list: list(board),
        kanban_move: move(board, context),
        kanban_remove: remove(board, context),
      },
    }
  },
}

export default toolset

const create =
  (board: Board): Run<'kanban_create'> =>
  async ({ args, session }) => {
    const title = args.title.replaceAll(/\s+/g, ' ').trim()
    if (title === '') return refuse('kanban_create', 'the title is blank')
    const card = await board.add(title, session)
    return card
      ? answer(`Card ${card.number} is in todo: ${card.title}`)
      : refuse('kanban_create', 'the board is full: remove a card first')
  }

const list =
  (board: Board): Run<'kanban_list'> =>
  async ({ args: { column } }) => {
    const cards = (await board.list()).filter((card) => column === undefined || card.column === column)
    return answer(cards.map(describe).join('\n') || 'There are no cards.')
  }

const move =
  (board: Board, context: ToolContext): Run<'kanban_move'> =>
  async ({ args: { card, column }, session }) => {
    const before = await board.move(Number(card), column)
    if (!before) return refuse('kanban_move', `there is no card ${card}`)
    if (before.column === column) return answer(`Card ${card} is in ${column} already.`)
    await tell(context, before, session, { name: 'card.moved', data: { number: before.number, title: before.title, column } })
    return answer(`Card ${card} is in ${column} now.`)
  }

const remove =
  (board: Board, context: ToolContext): Run<'kanban_remove'> =>
  async ({ args: { card }, session }) => {
    const before = await board.remove(Number(card))
    if (!before) return refuse('kanban_remove', `there is no card ${card}`)
    await tell(context, before, session, { name: 'card.removed', data: { number: before.number, title: before.title } })
    return answer(`Card ${card} is off the board.`)
  }

/** Who made the card knows already that they move it. */
async function tell(
  context: ToolContext,
  { session: maker }: Card,
  mover: string,
  event: Pick<Parameters<ToolContext['raise']>[0], 'name' | 'data'>,
): Promise<void> {
  if (maker !== mover) await context.raise({ ...event, session: maker })
}

const describe = ({ number, column, title }: Card): string => `${number}. [${column}] ${title}`
const answer = (text: string): ToolResult => ({ ok: true, text })

function refuse(tool: string, problem: string): ToolResult {
  return { ok: false, error: { code: 'TOOL_ARGUMENTS', params: { tool, problem } } }
}

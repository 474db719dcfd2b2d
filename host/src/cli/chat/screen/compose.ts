import stringWidth from 'fast-string-width'
import { showLines } from '#observe/printable.ts'
import { paint } from '../../console/cli.ts'
import type { TurnQuestion } from '../conversation/questions.ts'
import type { TypedEntry } from '../input/draft.ts'
import type { Editor } from '../input/editor.ts'
import { layOut } from '../input/layout.ts'
import { fit } from './fit.ts'
import type { View } from './live-region.ts'
import { describeTime, type LifeSign } from './sign-of-life.ts'

/** All that stands at the bottom of the screen. */
export interface Bottom {
  readonly colour: boolean
  readonly columns: number
  readonly rows: number
  /** The unfinished end of the answer. */
  readonly tail: readonly string[]
  readonly activity: LifeSign | undefined
  /** What goes on beside the conversation. */
  readonly background: readonly string[]
  readonly queue: readonly TypedEntry[]
  readonly question: TurnQuestion | undefined
  readonly questionLeft: number
  readonly editor: Pick<Editor, 'draft' | 'menu' | 'search'>
  /** What the person should know just now. */
  readonly hint: string | undefined
}

const mostQueued = 3
const mostMenu = 6
export const promptWidth = 2

/** The lines of the bottom, none wider than the screen and together not higher. */
export function compose(bottom: Bottom): View {
  const { columns, rows, colour } = bottom
  const below = [...menuLines(bottom), ...(bottom.hint === undefined ? [] : [paint({ colour }, 'dim', bottom.hint)])].map((line) =>
    fit(line, columns - 1),
  )
  const above = [...activityLines(bottom), ...backgroundLines(bottom), ...queueLines(bottom), ...questionLines(bottom)].map((line) =>
    fit(line, columns - 1),
  )
  const written = editorLines(bottom, Math.max(1, Math.min(Math.floor(rows / 2), rows - above.length - below.length - 2)))
  const room = rows - 2 - above.length - below.length - written.lines.length
  const tail = room > 0 ? bottom.tail.slice(-room) : []
  const before = [...tail, '', ...above]
  return {
    lines: [...before, ...written.lines, ...below],
    cursor: { row: before.length + written.row, column: written.column },
  }
}

/** The sign of life. What is too long loses its end, but not what follows it. */
function activityLines({ activity, colour, columns, question, questionLeft }: Bottom): string[] {
  if (activity === undefined) return []
  const end = question ? `${describeTime(questionLeft)} left` : 'Esc interrupts'
  const doing = question ? 'waits for you' : activity.doing
  const room = columns - 1 - stringWidth(`${activity.since} ·  · ${end}`)
  return [paint({ colour }, 'dim', [activity.since, fit(doing, Math.max(1, room)), end].join(' · '))]
}

function backgroundLines({ background, colour }: Bottom): string[] {
  return background.map((prompt) => paint({ colour }, 'dim', `  in the background: ${showLines(prompt).replaceAll(/\s*\n\s*/g, ' ')}`))
}

function queueLines({ queue, colour }: Bottom): string[] {
  const lines = queue.slice(0, mostQueued).map(({ shown }) => `  next: ${showLines(shown).replaceAll(/\s*\n\s*/g, ' ')}`)
  if (queue.length === 0) return []
  const more = queue.length > mostQueued ? [`  and ${queue.length - mostQueued} more`] : []
  return [...lines, ...more, '  Up takes the last one back'].map((line) => paint({ colour }, 'dim', line))
}

const keys = { once: 'o once', session: 's session', always: 'a always', deny: 'd deny' } as const

function questionLines({ question, colour, columns }: Bottom): string[] {
  if (!question) return []
  const ways =
    question.type === 'approval.request'
      ? `Allow it? ${question.choices.map((choice) => keys[choice]).join(' · ')}, then Enter`
      : question.choices.length > 0
        ? 'Answer with a number or in your own words.'
        : 'Answer in your own words.'
  return layOut({ text: ways, cursor: 0, pastes: [] }, columns - 1).rows.map(({ shown }) => paint({ colour }, 'yellow', shown))
}

interface Written {
  readonly lines: readonly string[]
  readonly row: number
  readonly column: number
}

/** What is being written; of a long text the part around the cursor. */
function editorLines({ editor, columns, colour, question }: Bottom, most: number): Written {
  const search = editor.search()
  if (search) {
    const found = search.found?.split('\n')[0] ?? (search.words === '' ? '' : 'nothing found')
    const line = fit(`search: ${search.words} → ${showLines(found)}`, columns - 1)
    return { lines: [line], row: 0, column: Math.min(columns - 1, `search: ${search.words}`.length) }
  }
  const { rows, row, column } = layOut(editor.draft(), columns - promptWidth - 1)
  const from = Math.max(0, Math.min(row - most + 1, rows.length - most))
  const lines = rows.slice(from, from + most).map(({ shown }, index) => {
    const isFirst = from + index === 0
    const prompt = isFirst ? (question ? '? ' : '› ') : index === 0 ? '… ' : '  '
    return `${isFirst ? paint({ colour }, 'bold', prompt) : prompt}${shown}`
  })
  return { lines, row: row - from, column: column + promptWidth }
}

function menuLines({ editor, colour }: Bottom): string[] {
  const menu = editor.menu()
  if (!menu) return []
  const from = Math.max(0, Math.min(menu.index - mostMenu + 1, menu.items.length - mostMenu))
  const { notes } = menu
  const width = Math.max(...menu.items.map((item) => item.length))
  const lines = menu.items.slice(from, from + mostMenu).map((item, index) => {
    const isTaken = from + index === menu.index
    const shown = notes ? `${showLines(item).padEnd(width)} ${showLines(notes[from + index] ?? '')}` : showLines(item)
    const line = `${isTaken ? '›' : ' '} ${shown}`
    return isTaken ? paint({ colour }, 'cyan', line) : paint({ colour }, 'dim', line)
  })
  const more = menu.items.length - mostMenu
  return more > 0 ? [...lines, paint({ colour }, 'dim', `  ${menu.items.length} in all`)] : lines
}

/** An entry as it stays on the screen once it has its turn. */
export function showEntry({ shown }: TypedEntry, { colour, columns }: Pick<Bottom, 'colour' | 'columns'>): readonly string[] {
  const { rows } = layOut({ text: shown, cursor: 0, pastes: [] }, columns - promptWidth - 1)
  return ['', ...rows.map((row, index) => paint({ colour }, 'bold', `${index === 0 ? '› ' : '  '}${row.shown}`))]
}

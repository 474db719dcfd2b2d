import { type Difference, formatSeconds } from '#eval/compare-runs.ts'
import type { TriedConversation } from '#eval/tried-conversation.ts'
import { printable } from '#observe/printable.ts'
import { type Cli, paint } from '../console/cli.ts'

const marks = { passed: ['green', '✓'], failed: ['red', '✗'], stopped: ['yellow', '-'] } as const

/** One line for a conversation that passed; what was wrong with one that did not. */
export function reportOutcome(cli: Cli, { file, name, status, problems, seconds, tokens }: TriedConversation): void {
  const [style, mark] = marks[status]
  const took = paint(cli, 'dim', `${formatSeconds(seconds)}, ${tokens} tokens`)
  cli.out(`${paint(cli, style, mark)} ${file}: ${printable(name)}  ${status === 'stopped' ? 'not finished' : took}`)
  for (const problem of problems) cli.out(`    ${printable(problem)}`)
}

export function reportRun(cli: Cli, outcomes: readonly TriedConversation[], differences: readonly Difference[]): void {
  const count = (status: TriedConversation['status']): number => outcomes.filter((each) => each.status === status).length
  for (const { file, name, change, text } of differences) cli.out(`${change}: ${file}: ${printable(name)} (${text})`)
  const parts = [
    `${count('passed')} passed`,
    `${count('failed')} failed`,
    ...(count('stopped') > 0 ? [`${count('stopped')} not finished`] : []),
  ]
  const models = [...new Set(outcomes.map(({ model }) => model))].filter((model) => model !== '')
  const what = `${outcomes.length} ${outcomes.length === 1 ? 'conversation' : 'conversations'}${models.length > 0 ? ` with ${models.join(', ')}` : ''}`
  cli.out(`${what}: ${parts.join(', ')}.`)
}

// @module-tag server
import { isAgentError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { dangers } from '../../host/src/tools/approvals/dangers.ts'
import { judgeCommand } from '../../host/src/tools/approvals/judge-command.ts'
import { createPathRules } from '../../host/src/tools/approvals/path-rules.ts'
import { attempts, everyday, everydayContained, unasked } from './tables.ts'

const place = {
  workspace: '/home/ann/.agent/workspace',
  folder: '/home/ann/.agent/workspace',
  userHome: '/home/ann',
  home: '/home/ann/.agent',
}
const paths = createPathRules(place)

const print = (line: string): void => void process.stdout.write(`${line}\n`)

async function outcome(command: string, contained = false): Promise<string> {
  try {
    const judged = await judgeCommand(command, { ...place, paths, deny: [], contained })
    if (judged.type !== 'judged') return judged.type
    return judged.dangers.length === 0 ? 'pass' : judged.dangers.map(({ name }) => name).join(' ')
  } catch (error) {
    if (isAgentError(error, 'COMMAND_FORBIDDEN')) return 'unreadable'
    throw error
  }
}

test('without a sandbox every attack of the table is asked about or refused, and the floor holds in all of them', async () => {
  const rows = await Promise.all(attempts().map(async (attempt) => ({ ...attempt, outcome: await outcome(attempt.command) })))
  const passed = rows.filter((row) => row.outcome === 'pass')
  for (const name of new Set(rows.map((row) => row.class))) {
    const own = rows.filter((row) => row.class === name)
    print(`${name}: ${own.filter((row) => row.outcome === 'pass').length} of ${own.length} run unasked`)
  }
  print(`in all: ${passed.length} of ${rows.length} run unasked`)
  for (const row of passed) print(`unasked (${row.class}): ${row.command}`)
  const floor = rows.filter((row) => row.class.endsWith('floor') && !/^(forbidden|unreadable)$/.test(row.outcome))
  for (const row of floor) print(`not refused: ${row.command} -> ${row.outcome}`)
  expect(floor).toEqual([])
  const seen = new Set(rows.flatMap((row) => row.outcome.split(' ')))
  expect(dangers.map(({ name }) => name).filter((name) => !seen.has(name) && name !== 'too-long')).toEqual([])
  expect(rows.length).toBeGreaterThanOrEqual(500)
  expect(passed).toEqual([])
}, 120_000)

test('what is known to run unasked without a sandbox is a small share, and the list is true', async () => {
  const known = unasked()
  const asked: string[] = []
  for (const command of known) if ((await outcome(command)) !== 'pass') asked.push(command)
  print(`known to run unasked: ${known.length} beside ${attempts().length} that are asked about`)
  expect(asked).toEqual([])
  expect(known.length / (known.length + attempts().length)).toBeLessThanOrEqual(0.1)
})

test.each(['git -a', 'docker -a', 'aws s3 cp -a', 'curl -d @'])('%s and so on without end is judged', async (words) => {
  const [program = '', ...rest] = words.split(' ')
  expect(await outcome(`${program}${` ${rest.join(' ')}`.repeat(1000)}`)).toEqual(expect.any(String))
})

test.each([
  ['without a sandbox', false, everyday],
  ['with the sandbox', true, everydayContained],
] as const)(
  '%s everyday commands run unasked',
  async (_name, contained, commands) => {
    const rows = await Promise.all(commands().map(async (command) => ({ command, outcome: await outcome(command, contained) })))
    const alarms = rows.filter((row) => row.outcome !== 'pass')
    print(`${alarms.length} false alarms in ${rows.length} everyday commands`)
    for (const row of alarms) print(`false alarm: ${row.command} -> ${row.outcome}`)
    expect(rows.length).toBeGreaterThanOrEqual(200)
    expect(alarms).toEqual([])
  },
  120_000,
)

import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { useServer } from './client.ts'
import { type Scenario, scenarios } from './scenarios.ts'

/**
 * Prints what the scenarios of @modelcontextprotocol/conformance say of our MCP client; ends with 1 where one ends in another way than
 * scenarios.ts has it. The suite starts this program again, with `client` and the address of its server.
 */
const limitMs = 120_000

interface Outcome {
  readonly scenario: Scenario
  readonly checks: string
  readonly passed: boolean
  readonly text: string
}

function tryScenario(scenario: Scenario, show: boolean): Promise<Outcome> {
  const suite = createRequire(join(process.cwd(), 'package.json')).resolve('@modelcontextprotocol/conformance/package.json')
  const command = `${process.execPath} ${process.argv[1]} client`
  const words = [
    join(dirname(suite), 'dist/index.js'),
    'client',
    '--command',
    command,
    '--scenario',
    scenario.name,
    ...(show ? ['--verbose'] : []),
  ]
  return new Promise((resolve) => {
    execFile(process.execPath, [...words, '--timeout', String(limitMs)], { timeout: limitMs }, (error, out, note) => {
      const text = `${out}${note}`
      const [, checks = 'none'] = /Passed: (\d+\/\d+)/.exec(text) ?? []
      resolve({ scenario, checks, passed: error === null, text })
    })
  })
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { show: { type: 'boolean', default: false } } })
  if (positionals[0] === 'client') return useServer(positionals.at(-1) ?? '')
  const wanted = scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const outcomes: Outcome[] = []
  const rest = wanted.values()
  const work = async (): Promise<void> => {
    for (const scenario of rest) outcomes.push(await tryScenario(scenario, values.show))
  }
  await Promise.all([work(), work()])
  const wrong = outcomes.filter(({ passed, scenario }) => passed !== (scenario.refused === undefined))
  for (const { name } of wanted) {
    const outcome = outcomes.find(({ scenario }) => scenario.name === name) as Outcome
    const { passed, checks, scenario } = outcome
    process.stdout.write(`${name.padEnd(44)}${checks.padEnd(8)}${passed ? 'passes' : `fails: ${scenario.refused ?? 'UNEXPECTED'}`}\n`)
    if (values.show || wrong.includes(outcome)) process.stdout.write(`${outcome.text}\n`)
  }
  const passed = outcomes.filter((outcome) => outcome.passed).length
  process.stdout.write(`${passed} of ${outcomes.length} scenarios pass, ${wrong.length} end in another way than is expected.\n`)
  process.exitCode = wanted.length === 0 || wrong.length > 0 ? 1 : 0
}

await main()

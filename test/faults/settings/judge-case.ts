import { chmodSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../../../host/src/cli/commands/config.ts'
import { runAgent } from '../../support/run-agent.ts'
import { runCommand } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import type { SettingsCase } from './case.ts'

/** Runs words of `agent config` and answers all that was said, and how it ended. */
export type Runner = (
  home: TestHome,
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
) => Promise<{ readonly code: number | null; readonly said: string }>

/** The functions behind the command, within this process. */
export const inProcess: Runner = async (home, words, variables) => {
  const { code, out, note } = await runCommand((cli) => command({ ...cli, installRoot: process.cwd() }), words, {
    environment: { ...home.environment, ...variables },
  })
  return { code, said: `${out}${note}` }
}

/** The built program. */
export const byProgram: Runner = async (home, words, environment) => {
  const { code, out, note } = await runAgent(home, ['config', ...words], { environment, timeoutMs: 20_000 })
  return { code, said: `${out}${note}` }
}

/** The setting that each case has written in the end. */
const setting = 'logging.level'

/** Of the processor, whatever else this machine does. */
const longestMs = 5000

/** Everything that is wrong about how the program takes these settings. */
export async function judgeCase(each: SettingsCase, run: Runner): Promise<readonly string[]> {
  using home = openTestHome()
  const files = { config: join(home.home, 'config.yaml'), env: join(home.home, '.env') }
  for (const name of ['config', 'env'] as const) {
    const content = each[name]
    if (typeof content === 'function') content(files[name])
    else writeFileSync(files[name], content)
    if (typeof content !== 'function') chmodSync(files[name], 0o600)
  }
  const problems: string[] = []
  const intact = (): boolean => (['config', 'env'] as const).every((name) => isAsMade(each[name], files[name]))
  const say = async (...words: readonly string[]) => {
    const since = process.cpuUsage()
    const answer = await run(home, words, each.variables)
    const { user, system } = process.cpuUsage(since)
    if ((user + system) / 1000 > longestMs) problems.push(`config ${words[0]} took over 5 s`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach a terminal
    if (run === byProgram && /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(answer.said))
      problems.push(`config ${words[0]} steers the terminal`)
    if (answer.code === null || /^\s+at |Something inside|INTERNAL/m.test(answer.said))
      problems.push(`config ${words[0]} broke: ${answer.said.slice(0, 300)}`)
    for (const secret of each.secrets) if (answer.said.includes(secret)) problems.push(`config ${words[0]} shows the secret ${secret}`)
    return answer
  }
  const check = await say('check')
  for (const name of each.named)
    if (!check.said.includes(name)) problems.push(`config check does not name ${name}: ${check.said.slice(0, 300)}`)
  if (each.named.length > 0 && check.said.includes('is in order')) problems.push('config check finds everything in order')
  if (each.named.length === 0 && check.code !== 0) problems.push(`config check refuses what is sound: ${check.said.slice(0, 300)}`)
  await say('get')
  await say('get', 'model', '--json')
  if (!intact()) problems.push('reading changed a file')
  const set = await say('set', setting, 'debug')
  if (set.code !== 0 && !intact()) problems.push('a refused set changed a file')
  if (set.code === 0) problems.push(...(await judgeWritten(each, files, say)))
  return problems
}

/** What was set holds, and with it unset the same is said of the settings as before. */
async function judgeWritten(
  each: SettingsCase,
  files: { readonly config: string; readonly env: string },
  say: (...words: readonly string[]) => Promise<{ readonly said: string }>,
): Promise<readonly string[]> {
  const problems: string[] = []
  if (typeof each.config === 'function') return ['a set replaced what is no file']
  const [before, after] = [Buffer.from(each.config).toString('utf8'), readFileSync(files.config, 'utf8')]
  if (!isAsMade(each.env, files.env)) problems.push('a set of config.yaml changed .env')
  for (const [comment] of before.matchAll(/# [^\r\n]*/g)) if (!after.includes(comment)) problems.push(`a set lost the comment ${comment}`)
  const again = await say('check')
  // The place of a fault may be another one now, and a fault of what was set is mended.
  for (const name of each.named.filter((one) => !/:\d+:/.test(one) && !one.includes(setting)))
    if (!again.said.includes(name)) problems.push(`after a set ${name} is not named any more`)
  return problems
}

function isAsMade(content: SettingsCase['config'], path: string): boolean {
  return typeof content === 'function' ? !lstatSync(path).isFile() : readFileSync(path).equals(content)
}

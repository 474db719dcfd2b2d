import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { compareRuns, keepRun, lastRunFile, readLastRun } from '#eval/compare-runs.ts'
import { formatJunit } from '#eval/format-junit.ts'
import { readConversations, type WrittenConversation } from '#eval/read-conversations.ts'
import type { TriedConversation } from '#eval/tried-conversation.ts'
import { fileReason } from '#kernel/read-text.ts'
import type { Cli } from '../console/cli.ts'
import { reportOutcome, reportRun } from './report-run.ts'
import { runConversation } from './run-conversation.ts'
import { readWorldSettings } from './world-settings.ts'

export interface EvalOptions {
  readonly provider?: string
  readonly model?: string
  readonly only?: string
  readonly jobs: string
  readonly json?: true
  readonly junit?: string
}

/** Runs the conversations of a folder and tells what became of them; the exit code is 1 where one failed. */
export async function runEval(cli: Cli, folder: string, options: EvalOptions): Promise<void> {
  const jobs = readJobs(options.jobs)
  const path = resolve(cli.cwd, folder)
  const chosen = readConversations(path, cli.cwd).filter(isWanted(options.only))
  if (chosen.length === 0)
    throw fail('USAGE', { problem: `No conversation has "${options.only}" in its file or name.`, try: `agent eval ${folder}` })
  const { provider, model } = options
  const { settings, cache, chosenModel } = await readWorldSettings(cli, options)
  const wish = { ...(provider === undefined ? {} : { provider }), ...(model === undefined ? {} : { model }) }
  const outcomes = await runAll(chosen, jobs, async (conversation) => {
    const outcome = await runConversation(conversation, { cli, settings, wish })
    if (!options.json) reportOutcome(cli, outcome)
    return outcome
  })
  const file = lastRunFile(cache, path, chosenModel)
  const before = readLastRun(file)
  const differences = compareRuns(before, outcomes)
  keepRun(file, before, outcomes)
  if (options.junit !== undefined) writeReport(resolve(cli.cwd, options.junit), formatJunit(outcomes))
  if (options.json) cli.json({ conversations: outcomes, differences })
  else reportRun(cli, outcomes, differences)
  if (cli.signal.aborted) cli.exit(130)
  else if (outcomes.some(({ status }) => status === 'failed')) cli.exit(1)
}

function writeReport(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  } catch (error) {
    throw fail('USAGE', {
      problem: `The report ${path} cannot be written: ${fileReason(error)}.`,
      try: 'agent eval skills --junit report.xml',
    })
  }
}

const isWanted =
  (only: string | undefined) =>
  ({ shownFile, name }: WrittenConversation): boolean =>
    only === undefined || `${shownFile}: ${name}`.toLowerCase().includes(only.toLowerCase())

function readJobs(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  throw fail('USAGE', { problem: `--jobs must be a whole number from 1 to 99, not "${text}".`, try: 'agent eval skills --jobs 4' })
}

/** So many at once; the outcomes in the order of the conversations. */
async function runAll(
  conversations: readonly WrittenConversation[],
  jobs: number,
  run: (conversation: WrittenConversation) => Promise<TriedConversation>,
): Promise<readonly TriedConversation[]> {
  const outcomes: TriedConversation[] = []
  const open = conversations.entries()
  const work = async (): Promise<void> => {
    for (const [index, conversation] of open) outcomes[index] = await run(conversation)
  }
  await Promise.all(Array.from({ length: Math.min(jobs, conversations.length) }, work))
  return outcomes
}

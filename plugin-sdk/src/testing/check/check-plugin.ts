import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { checkTypes, describeTypeProblems, wantsTypes } from '../../build/check-types.ts'
import { noticeManifest } from '../../build/deprecated/notice-manifest.ts'
import { findSdk } from '../../build/find-sdk.ts'
import { fail, isAgentError } from '../../contract/errors.ts'
import { withTimeLimit } from '../../contract/time-limit.ts'
import { dataKinds, specsOf } from '../../kinds/kinds.ts'
import { describeFailure } from '../contract/errors/error-problem.ts'
import { suites } from '../contract/suites.ts'
import { createSystemClock } from '../rig/system-clock.ts'
import { hasCode, type Inspected, inspectFiles, staticRules } from './inspect-files.ts'
import { type Contract, loadContract } from './load-contract.ts'
import { ownRules } from './own-rules.ts'
import { placeFault } from './place-fault.ts'
import { computeQuality } from './quality.ts'
import type { CheckReport } from './report.ts'
import type { RuleResult } from './rule-result.ts'
import { listCases, openEntries, type TriedEntry } from './try-entries.ts'
import { tryImport } from './try-import.ts'

/** What is tried, and with how much patience. */
export interface CheckOptions {
  /** The plugin's folder: sources, or an unpacked package. */
  readonly dir: string
  /** The file that opens the worlds, where it is not `test/contract.ts` of the folder. */
  readonly contract?: string
  /** How long a plugin may take for anything, in milliseconds of real time. */
  readonly patienceMs?: number
  /** Rules that are tried, where it is not all of them; what has to hold before them is told only where it does not. */
  readonly only?: readonly string[]
  /** Adds to each result what the plugin has logged meanwhile. */
  readonly verbose?: boolean
  /** Fires when nobody waits for the report any more; rules that are left are skipped. */
  readonly signal?: AbortSignal
  /** Is told each result as it is found. */
  readonly onResult?: (result: RuleResult) => void
}

type Finding = Omit<RuleResult, 'status' | 'problem' | 'durationMs'>
/** What is wrong, empty where nothing is; or why it could not be tried. */
type Verdict = string | { readonly untried: string }
type Run = (finding: Finding, work: () => Promise<Verdict>, log?: readonly string[]) => Promise<void>

/** Tries a plugin by every rule that the host has for it: its files first, then its code, in this process and in a child. */
export async function checkPlugin(options: CheckOptions): Promise<CheckReport> {
  const root = resolve(options.dir)
  if (!existsSync(root) || !statSync(root).isDirectory()) {
    throw fail('PLUGIN_BUILD', { plugin: options.dir, path: '.', problem: 'is no folder' })
  }
  const results: RuleResult[] = []
  const notes: string[] = []
  const run = createRun(results, options)
  const inspected = await inspectFiles(root)
  for (const { rule, title, find, needsBuilt } of staticRules) {
    // Without a manifest there is nothing to compare: its own rule says what is wrong.
    const isLost = inspected.built === undefined && needsBuilt
    await run({ stage: 'static', rule, title }, async () => (isLost ? { untried: 'there is no valid manifest' } : find(inspected)))
  }
  if (inspected.built === undefined) notes.push('Its code was not tried, because the definition or the manifest is not valid.')
  else {
    if (wantsTypes(root)) await run(ownRules.types, () => findWrongTypes(root, notes))
    notes.push(...(await noticeManifest(root, findSdk().root)))
    await checkData(inspected, run)
    await checkCode(inspected, options, run, notes)
  }
  const { id = null, version = null } = inspected.built?.manifest ?? {}
  return {
    dir: root,
    plugin: id,
    version,
    node: process.versions.node,
    passed: !options.signal?.aborted && results.every(({ status }) => status !== 'failed'),
    notes,
    rules: results,
    quality: computeQuality({ ...inspected, results }),
  }
}

async function findWrongTypes(root: string, notes: string[]): Promise<Verdict> {
  const { problems, untried, notices = [] } = await checkTypes(root, findSdk())
  notes.push(...notices)
  return untried === undefined ? describeTypeProblems(problems) : { untried }
}

/** What is read and never run is tried by its files. */
async function checkData({ root, built }: Inspected, run: Run): Promise<void> {
  if (built === undefined) return
  const { manifest } = built
  for (const kind of dataKinds) {
    for (const { id } of specsOf(manifest, kind)) {
      for (const { rule, title, run: act } of suites[kind]({ root, manifest, contribution: id })) {
        await run({ stage: 'static', rule, title, entry: `${kind}.${id}` }, async () => {
          await act()
          return ''
        })
      }
    }
  }
}

async function checkCode(inspected: Inspected, options: CheckOptions, run: Run, notes: string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-check-'))
  try {
    let entries: readonly TriedEntry[] = []
    await run(ownRules.bundle, async () => {
      entries = await openEntries(inspected, folder)
      return ''
    })
    if (hasCode(inspected) && entries.length === 0) {
      notes.push('Its code was not tried, because it cannot be bundled.')
      return
    }
    if (entries.length === 0) {
      const { manifest } = inspected.built ?? {}
      if (manifest && dataKinds.every((kind) => specsOf(manifest, kind).length === 0)) notes.push('It has no code.')
      return
    }
    const sound = await checkImports(entries, options, run)
    for (const { name } of entries) {
      if (!sound.some((entry) => entry.name === name)) notes.push(`The rules of ${name} were not tried, because it cannot be imported.`)
    }
    await checkContract(inspected, sound, folder, options, run, notes)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Answers the entries that can be imported: what is wrong with the others is told once. */
async function checkImports(entries: readonly TriedEntry[], { patienceMs = 5000 }: CheckOptions, run: Run): Promise<readonly TriedEntry[]> {
  const sound: TriedEntry[] = []
  for (const entry of entries) {
    await run({ ...ownRules.import, entry: entry.name }, async () => {
      const problem = await tryImport(entry.kind, entry.file, patienceMs)
      if (problem === '') sound.push(entry)
      return problem
    })
  }
  return sound
}

async function checkContract(
  inspected: Inspected,
  entries: readonly TriedEntry[],
  folder: string,
  { contract: given, patienceMs = 5000 }: CheckOptions,
  run: Run,
  notes: string[],
): Promise<void> {
  const file = given ?? join(inspected.root, 'test', 'contract.ts')
  if (!existsSync(file)) {
    notes.push('The rules of its kinds were not tried, because it has no test/contract.ts that says how.')
    return
  }
  let contract: Contract | undefined
  await run(ownRules.contract, async () => {
    contract = await loadContract(file, folder)
    return ''
  })
  if (contract === undefined || inspected.built === undefined) return
  const { manifest } = inspected.built
  await using placed = await listCases({ root: inspected.root, manifest }, entries, contract, patienceMs)
  for (const { entry, place, one, log } of placed.cases) {
    const title = one.title.replace(` (${place})`, '')
    const work = async (): Promise<Verdict> => {
      const untried = await one.run().catch((error: unknown) => {
        throw placeFault(error, log, inspected.root)
      })
      return untried === undefined ? '' : { untried }
    }
    await run({ stage: 'dynamic', rule: one.rule, title, entry: entry.name, place }, work, log)
  }
}

const longestRuleMs = 60_000
/** Without these no other rule can be tried. */
const neededByAll = new Set(['manifest', 'bundle', 'import', 'contract'])

/** Runs one rule: the problem that it answers, or the error with which it rejects, makes it a failure. */
function createRun(results: RuleResult[], options: CheckOptions): Run {
  const { signal, onResult = () => undefined, patienceMs = 5000, only, verbose = false } = options
  return async (finding, work, log = []) => {
    const isWanted = only === undefined || only.includes(finding.rule)
    if (!isWanted && !neededByAll.has(finding.rule)) return
    const start = performance.now()
    const add = (status: RuleResult['status'], problem: string): void => {
      if (!isWanted && status !== 'failed') return
      const more = { ...(problem === '' ? {} : { problem }), ...(verbose && log.length > 0 ? { log } : {}) }
      const result = { ...finding, status, ...more, durationMs: Math.round(performance.now() - start) }
      results.push(result)
      onResult(result)
    }
    if (signal?.aborted) return add('skipped', 'the check was given up')
    const limit = { clock: createSystemClock(), ms: Math.max(longestRuleMs, patienceMs * 4), what: 'The rule' }
    const verdict = await withTimeLimit(limit, work).catch(explain)
    if (typeof verdict !== 'string') add('skipped', verdict.untried)
    else add(verdict === '' ? 'passed' : 'failed', verdict)
  }
}

/** The problem of a broken rule without its frame, which the report has already. */
function explain(error: unknown): string {
  return isAgentError(error, 'CONTRACT_BROKEN') ? String(error.params.problem) : describeFailure(error)
}

import { systemClock } from '#kernel/clock.ts'
import { checkInstalled } from '#kernel/installed/check-installed.ts'
import type { LockedPlugin, LockedVersion } from '#kernel/installed/plugin-lock.ts'
import { describeContainment } from '#kernel/isolation/describe-containment.ts'
import type { Spec } from '#kernel/package/parse-spec.ts'
import { refuse } from '#kernel/package/refusals.ts'
import { createSandbox } from '#kernel/sandbox/sandbox.ts'
import { type OpenedCatalog, openCatalog } from '#rpc/home/open-catalog.ts'
import type { Cli } from '../../console/cli.ts'
import { currentLists } from '../catalogs/refresh-lists.ts'
import { type PreparedPackage, preparePackage } from '../package/prepare-package.ts'
import { probePackage } from '../package/probe-package.ts'
import { createProgress } from '../package/progress.ts'
import { type AskConsentOptions, askConsent } from './ask-consent.ts'
import { obeyLists, pinSpec } from './obey-lists.ts'
import type { PluginHome } from './plugin-home.ts'

/** What became of one plugin. */
export interface InstallOutcome {
  readonly id: string
  readonly version: string
  /** Undefined where it was not installed before. */
  readonly before: string | undefined
  /** The same files were there already. */
  readonly same: boolean
}

export interface InstallOptions extends AskConsentOptions {
  /** The id that has to come out, for an update. */
  readonly id?: string
}

/** The whole way of a package: fetched, judged, agreed to, tried, put in place, locked. Until the last two steps nothing has changed. */
export async function installPlugin(
  cli: Cli,
  plugins: PluginHome,
  spec: Exclude<Spec, { type: 'link' }>,
  options: InstallOptions,
): Promise<InstallOutcome> {
  const step = createProgress(cli)
  const lists = await step('Asking the catalogs', () => currentLists(cli))
  const fetched = await preparePackage({ spec: pinSpec(spec, lists), staging: plugins.staging, npm: cli, step })
  obeyLists(lists, fetched.checked.file)
  // What was asked for, and not what a list made of it today.
  const prepared = { ...fetched, described: { ...fetched.described, spec: spec.text } }
  const { manifest } = prepared.checked
  const opened = await openCatalog(cli)
  checkOwner(opened, plugins, prepared, options.id)
  const before = plugins.lock.get(manifest.id)
  const outcome = { id: manifest.id, version: manifest.version, before: before?.version }
  if (before && isSame(plugins, before, prepared)) return { ...outcome, same: true }
  const now = new Date(systemClock.now()).toISOString()
  const contained = describeContainment(await createSandbox({ clock: systemClock }).level(), opened.loaded.config.plugins)
  const consent = await askConsent(cli, { manifest, described: prepared.described, before, contained }, options, now)
  const notes = await step(`Trying the code of ${manifest.id}`, () => probePackage(prepared.folder, prepared.checked, cli))
  for (const note of notes) cli.note(note)
  cli.signal.throwIfAborted()
  const version: LockedVersion = { ...prepared.described, consent, installedAt: now }
  plugins.keep(manifest.id, version, prepared.folder)
  plugins.write(manifest.id, { ...version, previous: findPrevious(before, version) })
  return { ...outcome, same: false }
}

/** One id, one owner: what came with agent, what another package brought and what somebody put there by hand is not replaced. */
function checkOwner(
  { catalog }: OpenedCatalog,
  { lock }: PluginHome,
  { checked: { file, manifest } }: PreparedPackage,
  wanted: string | undefined,
): void {
  const { id } = manifest
  if (wanted !== undefined && id !== wanted) throw refuse(file.name, 'id-changed', { id, wanted })
  if (catalog.plugins.some((plugin) => plugin.id === id && plugin.source === 'bundled')) throw refuse(file.name, 'id-bundled', { id })
  const byHand = catalog.plugins.find((plugin) => plugin.id === id && plugin.source === 'local')
  if (byHand) throw refuse(file.name, 'id-taken', { id, owner: byHand.root })
  const locked = lock.get(id)
  if (locked && locked.package !== file.name) throw refuse(file.name, 'id-taken', { id, owner: locked.package })
}

function isSame(plugins: PluginHome, before: LockedPlugin, { described, checked }: PreparedPackage): boolean {
  const { id } = checked.manifest
  return (
    before.files === described.files &&
    before.spec === described.spec &&
    checkInstalled(plugins.folderOf(id, before), id, before) === undefined
  )
}

/** The version before the one that is replaced; installing the same files again keeps that version. */
function findPrevious(before: LockedPlugin | undefined, next: LockedVersion): LockedVersion | null {
  if (!before) return null
  const { previous, ...replaced } = before
  return replaced.files === next.files ? previous : replaced
}

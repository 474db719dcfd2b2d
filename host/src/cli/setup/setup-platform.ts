import { fail } from '@agent/plugin-sdk/errors'
import { readEnvFile } from '#config/environment/env-file.ts'
import { isSecretKey } from '#config/environment/secret-keys.ts'
import { findInstance } from '#gateway/instance/instance.ts'
import { findForm, listForms, type PlatformForm } from '#gateway/setup/platform-form.ts'
import { type PlatformAnswers, savePlatform } from '#gateway/setup/save-platform.ts'
import type { TriedPlatform } from '#gateway/setup/try-platform.ts'
import { reloadGateway } from '#rpc/gateway/reload-gateway.ts'
import { connectOnce, findRunning, type TestedConnection, type Typed, testConnection } from '#rpc/gateway/test-connection.ts'
import { wishPlatform } from '#rpc/gateway/wish-platform.ts'
import { type OpenedCatalog, openCatalog } from '#rpc/home/open-catalog.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { readExtra } from '#rpc/settings/change-platform.ts'
import type { Cli } from '../console/cli.ts'
import { openAsker } from './asker.ts'
import { describeAccess } from './describe-access.ts'
import { readSettings } from './read-settings.ts'
import { testPlatform } from './test-platform.ts'
import { adviseModel, askAnswers, choosePlatform } from './wizard.ts'

export interface SetupOptions {
  readonly set: readonly string[]
  readonly test?: true
  readonly json?: true
}

/** Sets up a messaging platform: by questions at a terminal, by `--set` without one. */
export async function setUpPlatform(cli: Cli, word: string | undefined, options: SetupOptions): Promise<void> {
  const opened = await openCatalog(cli)
  const forms = listForms(opened.catalog, opened.loaded.environment)
  const form = word === undefined ? undefined : findForm(forms, word)
  if (options.test && form) return testPlatform(cli, form.id, options.json === true)
  if (form && options.set.length > 0) return setUpByWords(cli, opened, form, options)
  if (options.json && !form) return cli.json({ platforms: forms.map(toRow) })
  if (!cli.terminal) throw needsTerminal(form)
  using asker = openAsker(cli)
  const current = (name: string): string | undefined => opened.loaded.environment.reference(name)
  const chosen = form ?? (await choosePlatform({ cli, asker }, forms))
  let needsModel = false
  const connect = async (typed: Typed): Promise<TriedPlatform> => {
    const tried = await connectOnce(cli, chosen, typed)
    needsModel = tried.needsModel
    return tried
  }
  const now = readExtra(opened, chosen.id)
  const currentSetting = (key: string): unknown => now[key]
  const answers = await askAnswers({ cli, asker, current, currentSetting, connect }, chosen)
  await save(cli, chosen, answers, { needsModel })
}

/** Nothing is written unless the platform connects. */
async function setUpByWords(cli: Cli, opened: OpenedCatalog, form: PlatformForm, { set, json }: SetupOptions): Promise<void> {
  const typed = await readSettings(cli, form, set)
  checkNeeded(opened, form, typed)
  const tested = await testConnection(cli, form, typed)
  if (!tested.ok) {
    cli.exit(1)
    if (json) return cli.json({ ...tested, written: [], enabled: false })
    return cli.note(`${tested.error?.message ?? ''} Nothing was changed.`.trimStart())
  }
  await save(cli, form, typed, { needsModel: tested.needsModel === true, ...(json ? { tested } : {}) })
  if (json && tested.needsModel) cli.note(adviseModel(form.label))
}

/** Names all that is missing at once. */
function checkNeeded(opened: OpenedCatalog, form: PlatformForm, { values, extra }: Required<Typed>): void {
  const now = readExtra(opened, form.id)
  const fields = form.fields.filter(({ name, required }) => required && values[name] === undefined && !opened.loaded.environment.has(name))
  const settings = form.settings.filter(({ key }) => extra[key] === undefined && now[key] === undefined)
  const missing = [
    ...settings.map(({ key, prompt }) => ({ name: `extra.${key}`, prompt, secret: isSecretKey(key), piped: isSecretKey(key) })),
    ...fields.map(({ name, prompt, secret }) => ({ name, prompt, secret, piped: false })),
  ]
  const [first] = missing
  if (!first) return
  const problem = `${form.label} needs ${missing.map(({ name, prompt }) => `${name} (${prompt})`).join(' and ')}.`
  throw fail('USAGE', {
    problem,
    try: `agent gateway setup ${form.id} --set ${first.name}${first.piped ? '=-' : first.secret ? '' : '=…'}`,
  })
}

interface SaveOptions {
  /** Nothing starts it before a provider is chosen. */
  readonly needsModel: boolean
  /** Told as JSON. */
  readonly tested?: TestedConnection
}

async function save(cli: Cli, form: PlatformForm, answers: PlatformAnswers, { needsModel, tested }: SaveOptions): Promise<void> {
  const home = openHomeOf(cli)
  const { written, shadowed } = savePlatform({ home, processEnvironment: cli.environment }, form, answers)
  const gateway = needsModel ? [] : await takeOver(cli, form)
  if (tested) {
    cli.json({ ...tested, written, shadowed, enabled: true, ...(gateway.length > 0 && { gateway }) })
    return
  }
  if (written.length > 0) cli.out(`${written.join(', ')}: written to ${home.files.env}.`)
  for (const name of shadowed) cli.note(`It is shadowed by environment: ${name} is set.`)
  const start = `agent gateway ${findInstance(home) ? 'restart' : 'start'}`
  if (gateway.length > 0) for (const line of [`${form.label} is set up.`, ...gateway]) cli.out(line)
  else cli.out(`${form.label} is set up. ${needsModel ? `${adviseModel(form.label)} Then ${start}` : start} connects it.`)
  const { values } = readEnvFile(home.files.env)
  for (const line of describeAccess(form, (name) => Boolean(cli.environment[name] ?? values[name]))) cli.out(line)
}

/** What the running gateway makes of it; nothing where none runs. What has failed for good is tried again, though nothing of it was changed. */
async function takeOver(cli: Cli, form: PlatformForm): Promise<readonly string[]> {
  const home = openHomeOf(cli)
  const said = await reloadGateway(cli, home)
  if (said.length === 0 || findRunning(home, form)?.status?.state !== 'fatal') return said
  await wishPlatform(cli, form.id, 'resumed')
  return [...said, `The running gateway tries ${form.label} again: agent gateway status says how it is.`]
}

function needsTerminal(form: PlatformForm | undefined): Error {
  const problem = form ? 'The questions need a terminal.' : 'Without a terminal the platform has to be named; --json lists them.'
  const [first] = form?.fields ?? []
  const setting = first?.secret ? ` --set ${first.name}` : ` --set ${first?.name ?? 'NAME'}=VALUE`
  return fail('USAGE', { problem, try: `agent gateway setup ${form?.id ?? 'PLATFORM'}${setting}` })
}

function toRow({ id, label, docsUrl, reason, fields, settings, access }: PlatformForm) {
  return {
    id,
    label,
    ...(docsUrl === undefined ? {} : { docsUrl }),
    ready: reason === undefined,
    reason: reason ?? null,
    fields,
    settings,
    access,
  }
}

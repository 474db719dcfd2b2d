import type { WebPage, WebSource } from '../../contract/web.ts'
import type { WebBackendManifest } from '../../kinds/web-backend.ts'
import type { TestContext } from '../rig/test-context.ts'
import { type ContractCase, commonRules, lacks, type RunOptions, rulesOf, type SetUp, type Stage } from './stage.ts'

/** What drives a web backend: a service of the tests with a few pages. */
export interface WebBackendWorld extends SetUp, AsyncDisposable {
  /** `search`: words for which at least two pages are found. */
  readonly query?: string
  /** `extract`, `crawl`: a page that is there; for `crawl` it leads to others. */
  readonly page?: string
  /** A page that cannot be had. */
  readonly missing?: string
  /** A set-up whose service takes a question and never answers. */
  readonly silent?: SetUp
  /** Credentials that are refused. */
  readonly refused?: SetUp
}

/** What the suite for web backends needs. */
export interface WebBackendContractOptions extends RunOptions<'web-backend'> {
  readonly world: () => Promise<WebBackendWorld>
}

type WebStage = Stage<'web-backend'>
type Act = (stage: WebStage, world: WebBackendWorld) => Promise<void>
const methods = ['search', 'extract', 'crawl'] as const
type Method = (typeof methods)[number]

/** The rules of a web backend; what is not declared is not tried. */
export function webBackendContract(options: WebBackendContractOptions): readonly ContractCase[] {
  const rule = rulesOf(options)
  const { capabilities } = declaration(options)
  const declared = methods.filter((name) => capabilities[name])
  return [
    rule('shape', 'the methods are exactly those of the declared capabilities', async (stage: WebStage, world) => {
      const source = await open(stage, stage.host(world))
      for (const name of methods) {
        const has = typeof source[name] === 'function'
        const problem = has ? `it has ${name}, which is not declared` : `it declares ${name} and has no such method`
        stage.expect(has === declared.includes(name), problem)
      }
    }),
    ...declared.map((name) => rule(name, titles[name], proofs[name])),
    rule('errors', 'what cannot be had, and credentials that are refused, have a code', checkErrors),
    rule('abort', 'a question that is given up ends, and nothing goes on behind it', checkAbort),
    ...commonRules(options, async (stage: WebStage, host, world: WebBackendWorld) => {
      await ask(stage, await open(stage, host), world)
    }),
  ]
}

function declaration({ subject: { manifest, contribution } }: Pick<WebStage, 'subject'>): WebBackendManifest {
  const found = manifest.contributes.webBackends.find(({ id }) => id === contribution)
  if (!found) throw new Error(`${manifest.id} has no web backend ${contribution}.`)
  return found
}

const titles: Readonly<Record<Method, string>> = {
  search: 'a search finds pages, and no more than asked for',
  extract: 'a page comes with its text',
  crawl: 'pages of one host are followed, and no more than asked for',
}

const proofs: Readonly<Record<Method, Act>> = { search: checkSearch, extract: checkExtract, crawl: checkCrawl }

async function open(stage: WebStage, host: TestContext): Promise<WebSource> {
  return await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')
}

/** What the world can drive, in the order of the capabilities. */
async function ask(stage: WebStage, source: WebSource, { query = '', page = '' }: WebBackendWorld, signal?: AbortSignal): Promise<void> {
  await source.search?.({ query, most: 5 }, stage.call(signal))
  await source.extract?.(page, stage.call(signal))
  await source.crawl?.({ url: page, most: 2 }, stage.call(signal))
}

async function checkSearch(stage: WebStage, world: WebBackendWorld): Promise<void> {
  const { query } = world
  stage.expect(query !== undefined, lacks('query'))
  const source = await open(stage, stage.host(world))
  const search = async (most: number) => await stage.within(Promise.resolve(source.search?.({ query, most }, stage.call())), 'search')
  const hits = (await search(5)) ?? []
  stage.expect(hits.length >= 2 && hits.length <= 5, `a search for ${query} found ${hits.length} pages`)
  for (const { url, title, excerpt } of hits) {
    stage.expect(URL.canParse(url), `a hit has the address ${JSON.stringify(url)}`)
    stage.expect(typeof title === 'string' && typeof excerpt === 'string', `a hit lacks its title or its excerpt: ${url}`)
  }
  const one = (await search(1)) ?? []
  stage.expect(one.length === 1, `one hit was asked for, and ${one.length} came`)
}

function checkPage(stage: WebStage, page: WebPage | undefined): void {
  stage.expect(page !== undefined && URL.canParse(page.url), `a page has the address ${JSON.stringify(page?.url)}`)
  stage.expect(typeof page.title === 'string' && typeof page.text === 'string' && page.text !== '', `the page ${page.url} has no text`)
}

async function checkExtract(stage: WebStage, world: WebBackendWorld): Promise<void> {
  const { page } = world
  stage.expect(page !== undefined, lacks('page'))
  const source = await open(stage, stage.host(world))
  checkPage(stage, await stage.within(Promise.resolve(source.extract?.(page, stage.call())), 'extract'))
}

async function checkCrawl(stage: WebStage, world: WebBackendWorld): Promise<void> {
  const { page } = world
  stage.expect(page !== undefined, lacks('page'))
  const source = await open(stage, stage.host(world))
  const pages = (await stage.within(Promise.resolve(source.crawl?.({ url: page, most: 2 }, stage.call())), 'crawl')) ?? []
  stage.expect(pages.length === 2, `two pages were asked for, and ${pages.length} came`)
  for (const one of pages) checkPage(stage, one)
  stage.expect(new Set(pages.map(({ url }) => new URL(url).host)).size === 1, 'pages of another host came too')
}

async function checkErrors(stage: WebStage, world: WebBackendWorld): Promise<void> {
  const { missing, refused } = world
  const { capabilities, env } = declaration(stage)
  if (capabilities.extract) {
    stage.expect(missing !== undefined, lacks('missing'))
    const { extract } = await open(stage, stage.host(world))
    if (extract) await stage.rejection(extract(missing, stage.call()), 'a page that cannot be had')
  }
  stage.expect(
    refused !== undefined || !stage.subject.manifest.env.some(({ name, secret }) => secret && env.includes(name)),
    lacks('refused'),
  )
  if (!refused) return capabilities.extract ? undefined : stage.untried('refused')
  const asking = async (): Promise<void> => await ask(stage, await open(stage, stage.host(refused)), world)
  await stage.rejection(asking(), 'a question with refused credentials')
}

async function checkAbort(stage: WebStage, world: WebBackendWorld): Promise<void> {
  const { net } = stage.subject.manifest.permissions
  stage.expect(world.silent !== undefined || (net?.value ?? 'none') === 'none', lacks('silent'))
  if (!world.silent) return stage.untried('silent')
  const { control } = stage.plugin
  const source = await open(stage, stage.host(world.silent))
  const controller = new AbortController()
  const asking = ask(stage, source, world, controller.signal).then(
    () => 'answered',
    () => 'rejected',
  )
  await stage.until(async () => (await control.busy()) === 1, 'the question did not start')
  controller.abort()
  stage.expect((await stage.within(asking, 'an aborted question')) === 'rejected', 'an aborted question was answered')
  await stage.until(async () => (await control.busy()) === 0, 'the question goes on after abort')
}

import type { ArgsOf, Call, ToolCall, ToolContext, ToolResult } from '@agent/plugin-sdk'
import { maxImagePiece } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import { pressKeys, putText } from './pages/input.ts'
import type { Page } from './pages/library.ts'
import { plain } from './pages/plain.ts'
import { type ConversationTab, requireYes, type Tabs } from './tabs.ts'
import type { tools } from './tools.ts'

export type BrowserTool = keyof typeof tools

/** A call of one of the tools, with all that it may need. */
interface Step<Args> {
  readonly toolCall: ToolCall<Args>
  readonly call: Call
  readonly tabs: Tabs
  readonly context: ToolContext<Config>
}

type Run<Name extends BrowserTool> = (step: Step<ArgsOf<typeof tools, Name>>) => Promise<ToolResult>

const longestValue = 20_000
const mostImages = 100
const longestImage = 600

async function existing({ tabs, toolCall }: Pick<Step<unknown>, 'tabs' | 'toolCall'>): Promise<ConversationTab> {
  const tab = await tabs.find(toolCall.session)
  if (tab) return tab
  throw new Error('no page is open: browser_navigate opens one.')
}

/** The tab for something that shows what is in a page: at a refused address nothing is shown. */
async function showing(step: Pick<Step<unknown>, 'tabs' | 'toolCall'>): Promise<ConversationTab> {
  const tab = await existing(step)
  const refused = await tab.refusal()
  if (refused) throw refused
  return tab
}

/** The tab for something that changes a page: in the person's own browser they are asked once for each site. */
async function acting(step: Pick<Step<unknown>, 'tabs' | 'toolCall'>): Promise<ConversationTab> {
  const tab = await showing(step)
  const host = hostOf(tab.url())
  if (!tab.isPersons || tab.allowed.has(host)) return tab
  await requireYes(step.toolCall.ask, `May the agent click and type at ${host || 'this page'} in your own browser?`)
  if (hostOf(tab.url()) !== host) throw new Error(elsewhere)
  tab.allowed.add(host)
  return tab
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')
const elsewhere = 'the page has gone to another site meanwhile: take a new snapshot.'

/** A yes holds for its site alone, and a page may leave it at any time: it is asked itself, since the library hears of it later. */
async function requireAllowed(tab: ConversationTab, page: Page): Promise<void> {
  if (tab.isPersons && !tab.allowed.has(String(await page.evaluate('location.host')))) throw new Error(elsewhere)
}

/** The same for an expression, in one step with it: between two the page could leave. */
function onlyWhereAllowed(tab: ConversationTab, expression: string): string {
  if (!tab.isPersons) return expression
  const allowed = JSON.stringify([...tab.allowed])
  return `if (!${allowed}.includes(location.host)) throw new Error(${JSON.stringify(elsewhere)}); ${expression}`
}

async function handleOf(tab: ConversationTab, ref: string) {
  const element = tab.element(ref)
  // Of an element that is gone the library makes something else.
  const handle = await element.elementHandle().catch(() => undefined)
  if (handle) return handle
  throw new Error('the page has changed: take a new snapshot.')
}

/** What became of the page after something was done in it, unless it went where it may not. */
async function after(tab: ConversationTab, said: string, signal: AbortSignal): Promise<ToolResult> {
  await tab.settle(signal)
  return await tab.where(said, signal)
}

const navigate: Run<'browser_navigate'> = async ({ toolCall, call, tabs, context }) => {
  const url = /^[a-z][a-z0-9+.-]*:/i.test(toolCall.args.url) ? toolCall.args.url : `https://${toolCall.args.url}`
  const { command_timeout: seconds, allow_private_urls: allowPrivate } = context.config
  await context.web.resolve({ url, allowPrivate }, call)
  toolCall.progress(`opening ${url.slice(0, 200)}`)
  const tab = await tabs.open(toolCall, call.signal)
  let isLate = false
  try {
    const timeout = seconds * 900
    await tab.step(`Opening ${url}`, call.signal, (page) => page.goto(url, { waitUntil: 'domcontentloaded', timeout }))
  } catch (error) {
    const refusal = await tab.refusal()
    if (refusal) throw refusal
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error
    isLate = true
  }
  const refusal = await tab.refusal()
  if (refusal) throw refusal
  await tab.settle(call.signal)
  const seen = await tab.look(false, call.signal)
  return isLate && seen.ok ? { ...seen, text: `The page is still loading.\n${seen.text}` } : seen
}

const snapshot: Run<'browser_snapshot'> = async (step) => await (await showing(step)).look(step.toolCall.args.full, step.call.signal)

const click: Run<'browser_click'> = async (step) => {
  const { ref } = step.toolCall.args
  const tab = await acting(step)
  await tab.step(`Clicking ${ref}`, step.call.signal, async (page) => {
    const handle = await handleOf(tab, ref)
    await requireAllowed(tab, page)
    await handle.click()
  })
  return await after(tab, `Clicked ${ref}.`, step.call.signal)
}

const type: Run<'browser_type'> = async (step) => {
  const { ref, text } = step.toolCall.args
  const tab = await acting(step)
  await tab.step(`Typing into ${ref}`, step.call.signal, async (page) => {
    const handle = await handleOf(tab, ref)
    await requireAllowed(tab, page)
    await putText(page, handle, text)
  })
  return await after(tab, `Typed into ${ref}.`, step.call.signal)
}

const scroll: Run<'browser_scroll'> = async (step) => {
  const tab = await showing(step)
  const sign = step.toolCall.args.direction === 'down' ? 1 : -1
  const at = await tab.step('Scrolling', step.call.signal, async (page) => {
    await page.evaluate(`window.scrollBy({ top: ${sign} * 0.8 * innerHeight, behavior: 'instant' })`)
    return String(await page.evaluate("Math.round(scrollY + innerHeight) + ' of ' + document.documentElement.scrollHeight"))
  })
  return await tab.where(`Scrolled ${step.toolCall.args.direction}: ${at} points of the page were seen.`, step.call.signal)
}

const back: Run<'browser_back'> = async (step) => {
  const { signal } = step.call
  const tab = await existing(step)
  const went = await tab.step('Going back', signal, async (page) => {
    const before = page.url()
    // Where there is nothing, the library rejects.
    await page.goBack({ waitUntil: 'domcontentloaded', timeout: step.context.config.command_timeout * 900 }).catch((error: unknown) => {
      if (!/History entry/.test(detailOf(error))) throw error
    })
    return page.url() !== before
  })
  const refusal = await tab.refusal()
  if (refusal) throw refusal
  if (!went && !(await tab.leave())) return await tab.where('There is nothing to go back to.', signal)
  return await after(tab, 'Went back.', signal)
}

const press: Run<'browser_press'> = async (step) => {
  const { key } = step.toolCall.args
  const tab = await acting(step)
  await tab.step(`Pressing ${key}`, step.call.signal, async (page) => {
    await requireAllowed(tab, page)
    await pressKeys(page, key)
  })
  return await after(tab, `Pressed ${key}.`, step.call.signal)
}

const readConsole: Run<'browser_console'> = async (step) => {
  const { clear, expression } = step.toolCall.args
  if (expression === undefined) {
    const tab = await step.tabs.find(step.toolCall.session)
    if (!tab) return { ok: true, text: 'No page is open: browser_navigate opens one.' }
    const refusal = await tab.refusal()
    if (refusal) throw refusal
    const lines = tab.readConsole(clear)
    return { ok: true, text: lines.length === 0 ? 'The page has written nothing.' : lines.join('\n') }
  }
  const tab = await acting(step)
  const value = await tab.step('The expression', step.call.signal, async (page) => {
    try {
      return await page.evaluate(onlyWhereAllowed(tab, expression))
    } catch (error) {
      // A page that goes in the middle of it takes it along.
      await requireAllowed(tab, page)
      throw error
    }
  })
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return { ok: true, text: text.length > longestValue ? `${text.slice(0, longestValue)}… (${text.length} characters)` : text }
}

const listImages = `[...document.images].slice(0, ${mostImages}).map(({ currentSrc, src, alt, naturalWidth, naturalHeight }) =>
  (currentSrc || src).slice(0, 300) + ' ' + naturalWidth + '×' + naturalHeight + (alt ? ' ' + JSON.stringify(alt.slice(0, 200)) : ''))`

const getImages: Run<'browser_get_images'> = async (step) => {
  const tab = await showing(step)
  const found = await tab.step('Listing the pictures', step.call.signal, (page) => page.evaluate(listImages))
  const lines = Array.isArray(found) ? found.slice(0, mostImages).map((line) => plain(String(line), longestImage)) : []
  return { ok: true, text: lines.length === 0 ? 'The page has no pictures.' : lines.join('\n').slice(0, longestValue) }
}

const vision: Run<'browser_vision'> = async (step) => {
  const tab = await showing(step)
  step.toolCall.progress('looking')
  const image = await tab.step('Taking a picture', step.call.signal, (page) => page.screenshot({ type: 'jpeg', quality: 70 }))
  if (image.length > maxImagePiece) throw new Error('the picture of the page is too large to be looked at.')
  return { ok: true, text: await step.context.images.describe({ image, question: step.toolCall.args.question }, step.call) }
}

export const runs: { readonly [Name in BrowserTool]: Run<Name> } = {
  browser_navigate: navigate,
  browser_snapshot: snapshot,
  browser_click: click,
  browser_type: type,
  browser_scroll: scroll,
  browser_back: back,
  browser_press: press,
  browser_console: readConsole,
  browser_get_images: getImages,
  browser_vision: vision,
}

// @module-tag browser
import type { BrowserContextOptions, Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { openStandIn, type StandIn } from './stand-in.ts'

let browser: Browser
let stand: StandIn
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())
beforeEach(async () => {
  stand = await openStandIn()
})
afterEach(() => stand.close())

interface Visit extends AsyncDisposable {
  readonly page: Page
  /** What must not happen on any page: refused scripts and styles, errors, requests to other hosts. */
  readonly faults: string[]
}

async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused/.test(message.text())) faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(stand.url) && !/^(?:data|blob):/.test(request.url())) faults.push(request.url())
  })
  await page.goto(stand.url)
  return { page, faults, [Symbol.asyncDispose]: () => context.close() }
}

/** Pixels between what is seen of a list and its end. */
const fromEnd = (log: Locator): Promise<number> => log.evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop)

test('from the first run to the first answer', async () => {
  await using seen = await visit()
  const { page, faults } = seen
  await page.getByLabel('Provider').selectOption('offline')
  await page.getByLabel('Value of OFFLINE_KEY').fill('key')
  await page.getByRole('button', { name: 'Use this model' }).click()
  await page.getByRole('button', { name: 'Ask it something' }).click()
  await page.getByText('It answered: yes.').waitFor()
  await page.getByRole('button', { name: 'Begin to chat' }).click()
  await page.getByLabel('Message to the agent').fill('hello')
  await page.keyboard.press('Enter')
  await page.locator('strong', { hasText: 'hello' }).waitFor()
  stand.endTurn()
  await page.locator('[data-end=complete]').waitFor()
  expect(await page.locator('img').count(), 'HTML of a model is text').toBe(0)
  expect(stand.prompts).toEqual(['hello'])
  expect(stand.changes).toContain('PUT env {"name":"OFFLINE_KEY","value":"key"}')
  expect(faults).toEqual([])
})

test('a platform is set up by the form that is made of its manifest', async () => {
  await using seen = await visit()
  const { page, faults } = seen
  await page.goto(`${stand.url}#/platforms`)
  await page.getByRole('link', { name: 'Toy', exact: true }).click()
  await page.getByLabel('Value of TOY_TOKEN').fill('new token')
  await page.getByText('More settings').click()
  await page.getByLabel('Port').fill('7001')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('It is written.').waitFor()
  expect(stand.changes).toEqual([
    'PUT messaging/platforms/toy {"enabled":true,"env":{"TOY_TOKEN":"new token"},"clear_env":[],"extra":{"port":7001}}',
  ])
  await page.getByRole('button', { name: 'Test' }).click()
  await page.getByText('It answered: yes.').waitFor()
  expect(faults).toEqual([])
})

test('the models of side tasks are shown below the one that answers', async () => {
  await using seen = await visit()
  await seen.page.goto(`${stand.url}#/models`)
  await seen.page.getByText('custom · sees · https://models.example').waitFor()
  await seen.page.getByText('offline · offline', { exact: true }).last().waitFor()
  expect(seen.faults).toEqual([])
})

test('an action that the server has forgotten is not waited for', async () => {
  await using seen = await visit()
  const { page } = seen
  await page.goto(`${stand.url}#/status`)
  await page.getByRole('button', { name: 'Look for an update' }).click()
  await page.getByText('Asking the server').waitFor()
  const body = JSON.stringify({ error: { code: 'HTTP_NOT_FOUND', message: 'There is no such action.' } })
  await page.route('**/actions/*/status', (route) => route.fulfill({ status: 404, contentType: 'application/json', body }))
  await page.getByText('Asking the server').waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Look for an update' }).isEnabled()).toBe(true)
})

test('an update is looked for when somebody asks, told of before it begins, and found again after the page was left', async () => {
  await using seen = await visit()
  const { page, faults } = seen
  await page.goto(`${stand.url}#/status`)
  await page.getByRole('button', { name: 'Look for an update' }).click()
  await page.getByText('Asking the server').waitFor()
  // The server is away for one question.
  await page.route('**/actions/*/status', (route) => route.abort(), { times: 1 })
  await page.waitForEvent('requestfailed')
  stand.endAction('agent-update-check', 'done', '1 change on main:')
  await page.getByText('1 change on main:').waitFor()
  await page.getByRole('button', { name: 'Update agent' }).click()
  const dialog = page.getByRole('dialog')
  for (const words of ['copied into the backups', 'put aside and brought back', 'until they are started again'])
    await dialog.getByText(words).waitFor()
  await dialog.getByRole('button', { name: 'Not now' }).click()
  await page.getByRole('button', { name: 'Update agent' }).click()
  await dialog.getByRole('button', { name: 'Update now' }).click()
  await page.getByText('Asking the server').waitFor()
  await page.goto(`${stand.url}#/people`)
  await page.getByRole('heading', { name: 'Version' }).waitFor({ state: 'detached' })
  await page.goto(`${stand.url}#/status`)
  await page.getByText('Asking the server').waitFor()
  stand.endAction('agent-update', 'failed', 'agent: The update failed at building: no such part. The program is as it was.')
  await page.getByText('The update failed at building: no such part. The program is as it was.', { exact: true }).waitFor()
  expect(stand.changes).toEqual(['POST agent/update/check ', 'POST agent/update '])
  expect(faults).toEqual([])
})

test('a platform is tried and paused from Status, and what may not have arrived is dealt with, after a question where it may be doubled', async () => {
  await using seen = await visit()
  const { page, faults } = seen
  await page.goto(`${stand.url}#/status`)
  const waits = page.getByRole('listitem').filter({ hasText: 'does not run' })
  await waits.getByText('1 without an answer yet').waitFor()
  await page.getByRole('button', { name: 'Try now: toy' }).click()
  await page.getByRole('status').getByText('It is written.').first().waitFor()
  // Nobody answers for a while: the row says so, and takes no second press.
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/toy/pause*', async (route) => {
    await answered
    await route.fallback()
  })
  const pause = page.getByRole('button', { name: 'Pause: toy' })
  await pause.click()
  await page.locator('[aria-busy]').first().waitFor()
  expect([await pause.isDisabled(), await page.getByRole('button', { name: 'Try now: toy' }).isDisabled()]).toEqual([true, true])
  answer()
  await expect.poll(() => pause.isEnabled()).toBe(true)
  const lost = page.getByRole('list', { name: 'Unknown whether sent' })
  await lost.getByText('The roses need **water**.').waitFor()
  await lost.getByText('toy · #garden').first().waitFor()
  await lost.getByRole('button', { name: 'It arrived: A file without words' }).click()
  await lost.getByRole('button', { name: 'Send again: The roses' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('may stand there twice').waitFor()
  await dialog.getByRole('button', { name: 'Not now' }).click()
  await dialog.waitFor({ state: 'detached' })
  await lost.getByRole('button', { name: 'Send again: The roses' }).click()
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await dialog.waitFor({ state: 'detached' })
  await lost.getByRole('button', { name: 'Give up: The roses' }).click()
  await page.route('**/17/settle*', (route) =>
    route.fulfill({
      status: 400,
      contentType: 'application/json',
      body: '{"error":{"code":"USAGE","message":"It is not there any more."}}',
    }),
  )
  await dialog.getByRole('button', { name: 'Give up' }).click()
  await dialog.getByRole('alert').getByText('It is not there any more.').waitFor()
  expect(stand.changes).toEqual([
    'POST messaging/platforms/toy/resume ',
    'POST messaging/platforms/toy/pause ',
    'POST gateway/unknown/18/settle {"fate":"arrived"}',
    'POST gateway/unknown/17/resend ',
  ])
  expect(faults).toEqual([])
})

test('a page of a plugin is drawn from its manifest, and does what it says', async () => {
  await using seen = await visit()
  const { page, faults } = seen
  await page.getByRole('link', { name: 'Toy list' }).first().click()
  await page.getByRole('cell', { name: 'milk <b>', exact: true }).waitFor()
  await page.getByRole('cell', { name: '2.0 KiB' }).waitFor()
  await page.getByRole('img', { name: 'Things a day' }).waitFor()
  await page.getByText('sour').waitFor()
  await page.getByText('Buy milk').waitFor()
  await page.getByLabel('Thing (needed)').fill('bread')
  await page.getByRole('button', { name: 'Put it on the list' }).click()
  await page.getByText('It is on the list.').waitFor()
  await page.getByRole('button', { name: 'Bought milk <b>' }).click()
  await page.getByText('Take it off the list?').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Bought' }).click()
  await page.getByText('It is off the list.').waitFor()
  expect(stand.panelRuns).toEqual(['add {"thing":"bread"} ', 'remove {} milk <b>'])
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  await page.getByRole('link', { name: 'milk <b>' }).click()
  await page.getByRole('heading', { name: 'One thing' }).waitFor()
  await page.locator('code', { hasText: 'milk <b>' }).waitFor()
  expect(faults).toEqual([])
})

test('a link of a plugin says which host it leads to, and what a button takes is filled in first', async () => {
  await using seen = await visit()
  const { page, faults } = seen
  await page.goto(`${stand.url}#/panel/toy/thing/milk`)
  const link = page.getByRole('link', { name: 'shop.example', exact: true })
  expect([await link.getAttribute('rel'), await link.getAttribute('target')]).toEqual(['noreferrer noopener', '_blank'])
  await page.getByRole('button', { name: 'Copy Sold at' }).waitFor()
  await page.locator('code', { hasText: 'javascript:alert(1)' }).waitFor()
  const before = stand.panelRuns.length
  await page.getByRole('button', { name: 'Rename milk' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Others see the name, too.').waitFor()
  expect(stand.panelRuns.slice(before), 'nothing is done before it is filled in').toEqual([])
  await dialog.getByLabel('To (needed)').fill('oat milk')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await page.getByText('It has another name.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  expect(stand.panelRuns.slice(before)).toEqual(['rename {"to":"oat milk"} milk'])
  expect(faults).toEqual([])
})

test('what stands above a block is asked for, and a change that the panel tells of is drawn', async () => {
  await using seen = await visit()
  const { page, faults } = seen
  await page.goto(`${stand.url}#/toy`)
  await page.getByRole('cell', { name: 'milk <b>', exact: true }).waitFor()
  expect(page.url()).toBe(`${stand.url}#/panel/toy`)
  expect(await page.title()).toBe('Toy list · agent')
  await page.getByLabel('Kind').selectOption('drink')
  await page.getByLabel('Find').fill('wine')
  await page.getByText('Nothing fits what was filled in').waitFor()
  stand.tellPanel({ rows: [{ thing: 'red wine', at: 1_700_000_000_000, size: 1, isOpen: true }] })
  await page.getByRole('cell', { name: 'red wine', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Drink red wine' }).waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).waitFor({ state: 'detached' })
  await page.getByLabel('Find').fill('')
  await page.getByLabel('Kind').selectOption('')
  await page.getByRole('cell', { name: 'milk <b>', exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Drink milk <b>' }).count(), 'it is offered where its field is true').toBe(0)
  expect(stand.panelFilters).toContain('{"kind":"drink","find":"wine"}')
  expect(faults).toEqual([])
})

proves(
  ['state.composer.queued', 'state.composer.submitted'],
  'what is queued survives a reload, never goes while it is edited, and is sent once',
  async () => {
    await using seen = await visit()
    const { page } = seen
    const write = async (text: string) => {
      await page.getByLabel('Message to the agent').fill(text)
      await page.keyboard.press('Enter')
    }
    await page.goto(`${stand.url}#/chat/ses_1`)
    await write('one')
    await page.locator('[data-end=running] strong').waitFor()
    await write('two')
    const queue = page.getByRole('list', { name: 'Waiting to be sent' })
    await queue.getByText('two').waitFor()
    await page.reload()
    await queue.getByRole('button', { name: 'Edit' }).click()
    stand.endTurn()
    await page.locator('[data-end=complete]').waitFor()
    expect(stand.prompts).toEqual(['one'])
    await page.getByLabel('Waiting message').fill('two, mended')
    await page.getByRole('button', { name: 'Keep' }).click()
    await page.locator('strong', { hasText: 'two, mended' }).waitFor()
    await queue.waitFor({ state: 'detached' })
    expect(stand.prompts).toEqual(['one', 'two, mended'])
  },
)

test('a connection that is cut comes back without a word lost or doubled', async () => {
  await using seen = await visit()
  const { page } = seen
  await page.goto(`${stand.url}#/chat/ses_1`)
  await page.getByLabel('Message to the agent').fill('one')
  await page.keyboard.press('Enter')
  await page.locator('[data-end=running] strong').waitFor()
  stand.cut()
  stand.endTurn()
  await page.locator('[data-end=complete]').waitFor()
  expect(await page.locator('.bubble').allInnerTexts()).toEqual([
    expect.stringContaining('one'),
    expect.stringMatching(/You said one\. <img src=x onerror=alert\(1\)>$/),
  ])
})

test('of five thousand messages the page holds what one sees: the end at once, the beginning when one goes there', async () => {
  await using seen = await visit()
  const { page, faults } = seen
  await page.goto(`${stand.url}#/chat/ses_5000`)
  const last = page.getByText('reply 2500')
  await last.waitFor()
  const log = page.getByRole('log', { name: 'Conversation' })
  await expect.poll(async () => (await log.evaluate((list) => list.scrollHeight)) > 100_000 && (await fromEnd(log)) < 2).toBe(true)
  // In the frame in which the past is put before its end, the list goes to its end once more.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  await log.focus()
  await page.keyboard.press('Home')
  await page.locator('.bubble', { hasText: /question 1(?!\d)/ }).waitFor()
  // Heights are known when they were drawn: the end is further down than it was thought to be.
  await page.keyboard.press('End')
  await last.waitFor()
  await expect.poll(() => fromEnd(log)).toBeLessThan(2)
  expect(await page.locator('*').count()).toBeLessThan(1_000)
  expect(await page.locator('.bubble').count()).toBeLessThan(200)
  expect(faults).toEqual([])
})

test('a reader who has gone up is left there while an answer grows, and the end stays in sight again once it was looked for', async () => {
  await using seen = await visit({ viewport: { width: 1280, height: 500 } })
  const { page, faults } = seen
  await page.goto(`${stand.url}#/chat/ses_1`)
  await page.getByLabel('Message to the agent').fill('hello')
  await page.keyboard.press('Enter')
  const log = page.getByRole('log', { name: 'Conversation' })
  await log.waitFor()
  const sayMore = async (text: string): Promise<void> => {
    for (let part = 1; part <= 20; part++) stand.say(`\n\n${text} ${part}`)
    await expect.poll(() => log.textContent()).toContain(`${text} 20`)
  }
  await sayMore('one')
  await expect.poll(() => fromEnd(log)).toBeLessThan(2)
  // The list grows on each frame, as it does under a fast answer.
  const growing = setInterval(() => stand.say('\n\nmore'), 15)
  try {
    await log.hover()
    await page.mouse.wheel(0, -200)
    await expect.poll(() => fromEnd(log)).toBeGreaterThan(600)
  } finally {
    clearInterval(growing)
  }
  const place = await log.evaluate((list) => list.scrollTop)
  await sayMore('two')
  expect(await log.evaluate((list) => list.scrollTop)).toBe(place)
  await log.focus()
  await page.keyboard.press('End')
  await expect.poll(() => fromEnd(log)).toBeLessThan(2)
  await sayMore('three')
  await expect.poll(() => fromEnd(log)).toBeLessThan(2)
  const again = setInterval(() => stand.say('\n\nstill more'), 15)
  try {
    await page.keyboard.press('Home')
    await expect.poll(() => log.evaluate((list) => list.scrollTop)).toBe(0)
    await sayMore('four')
    expect(await log.evaluate((list) => list.scrollTop)).toBe(0)
  } finally {
    clearInterval(again)
  }
  expect(faults).toEqual([])
})

test('an address that is not served is told in words, what is typed stays, and nothing is tried again', async () => {
  await using seen = await visit()
  const { page } = seen
  await page.goto(`${stand.url}#/chat/ses_1`)
  await page.getByLabel('Message to the agent').fill('half a thou')
  await page.getByText('connecting').waitFor({ state: 'detached' })
  stand.refuse()
  await page.getByRole('alert').getByText('does not serve this address').waitFor()
  await page.getByText('connection refused').waitFor()
  expect(await page.getByText('trying again').count()).toBe(0)
  await page.reload()
  await page.getByRole('alert').getByText('does not serve this address').waitFor()
  const typed = page.getByLabel('Message to the agent')
  expect(await typed.inputValue()).toBe('half a thou')
  await page.goto(`${stand.url}#/chat`)
  await typed.fill('a new thought')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByRole('alert').count()).toBe(2)
  expect(await typed.inputValue()).toBe('a new thought')
})

test('the palette goes anywhere by key, and the theme that was chosen stays', async () => {
  await using seen = await visit({ colorScheme: 'light' })
  const { page } = seen
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Page or action' }).fill('usag')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  await page.getByLabel('Theme').selectOption('dark')
  await page.reload()
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
})

test('a page says once why it could not read its parts, and one button asks for all of them', async () => {
  const failing = await openStandIn('failing')
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(`${failing.url}#/models`)
    await expect.poll(() => page.getByText('It could not be read either').count()).toBe(3)
    expect(await page.getByRole('alert').count()).toBe(1)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.getByRole('button', { name: 'Try again' }).click()
    const parts = ['/api/model/auxiliary', '/api/model/info', '/api/model/options', '/api/providers/oauth']
    await expect.poll(() => asked.sort()).toEqual(parts)
  } finally {
    await context.close()
    await failing.close()
  }
})

test('the page that is shown is in sight in the navigation, above what stands below it', async () => {
  await using seen = await visit({ viewport: { width: 1280, height: 720 } })
  const { page } = seen
  const nav = page.getByRole('navigation', { name: 'Pages' })
  for (const place of ['panel/memory', 'chat']) {
    await page.goto(`${stand.url}#/${place}`)
    const link = nav.locator('[aria-current=page]')
    await link.waitFor()
    const between = async () => {
      const [at, foot] = [await link.boundingBox(), await nav.locator('.foot').boundingBox()]
      return at !== null && foot !== null && at.y >= 0 && at.y + at.height <= foot.y
    }
    await expect.poll(between, { message: place }).toBe(true)
  }
})

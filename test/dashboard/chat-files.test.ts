// @module-tag browser
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
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
  readonly faults: string[]
}

async function visit(place: string): Promise<Visit> {
  const context = await browser.newContext()
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => void (/Content Security Policy|Refused/.test(message.text()) && faults.push(message.text())))
  await page.goto(`${stand.url}#/${place}`)
  return { page, faults, [Symbol.asyncDispose]: () => context.close() }
}

const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const photo = { name: 'photo.png', mimeType: 'image/png', buffer: pixel }
const notes = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('Buy milk.') }

/** What a drag or the clipboard brings, made in the page. */
const bringFile = `(kind, name, type, text) => {
  const data = new DataTransfer()
  data.items.add(new File([text], name, { type }))
  const target = document.querySelector('.composer textarea')
  const given = kind === 'paste' ? { clipboardData: data } : { dataTransfer: data }
  const Event = kind === 'paste' ? ClipboardEvent : DragEvent
  target.dispatchEvent(new Event(kind, { bubbles: true, cancelable: true, ...given }))
}`

test('files are picked, dropped and pasted, wait in the queue over a reload, are sent once and shown with the message', async () => {
  await using seen = await visit('chat/ses_1')
  const { page, faults } = seen
  const box = page.getByLabel('Message to the agent')
  const list = page.getByRole('list', { name: 'Files' })
  await box.fill('one')
  await page.keyboard.press('Enter')
  await page.locator('[data-end=running]').waitFor()
  await page.getByLabel('Files for the message').setInputFiles([photo])
  await list.getByText('photo.png').waitFor()
  await page.evaluate(`(${bringFile})('drop', 'notes.md', 'text/markdown', 'Buy milk.')`)
  await list.getByText('notes.md').waitFor()
  await page.evaluate(`(${bringFile})('paste', 'list.txt', 'text/plain', 'Sell cheese.')`)
  await list.getByText('list.txt').waitFor()
  await page.getByRole('button', { name: 'Remove list.txt' }).click()
  await box.fill('What is this?')
  await page.keyboard.press('Enter')
  const queue = page.getByRole('list', { name: 'Waiting to be sent' })
  await queue.getByText('photo.png').waitFor()
  await page.reload()
  await queue.getByText('notes.md').waitFor()
  stand.endTurn()
  await page.locator('.said', { hasText: 'What is this?' }).getByText('photo.png').waitFor()
  expect(await page.locator('.said img').getAttribute('src')).toMatch(/^data:image\/jpeg;base64,/)
  await queue.waitFor({ state: 'detached' })
  expect(stand.prompts).toEqual(['one', 'What is this?'])
  expect(stand.files).toEqual([
    { name: 'photo.png', image: `data:image/png;base64,${pixel.toString('base64')}`, preview: expect.stringContaining('data:image/jpeg') },
    { name: 'notes.md', text: 'Buy milk.' },
  ])
  expect(faults).toEqual([])
})

test('a new chat begins with a picture alone', async () => {
  await using seen = await visit('chat')
  const { page } = seen
  await page.getByLabel('Files for the message').setInputFiles([photo])
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.said').getByText('photo.png').waitFor()
  expect(stand.prompts).toEqual([''])
})

test('what cannot be sent is left out in words, and a large picture is made smaller', async () => {
  await using seen = await visit('chat/ses_1')
  const { page } = seen
  const alerts = page.getByRole('alert')
  const pick = page.getByLabel('Files for the message')
  await pick.setInputFiles([
    { name: 'program.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 254]) },
    { name: 'book.txt', mimeType: 'text/plain', buffer: Buffer.alloc(102_401, 'a') },
    { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
  ])
  for (const words of [
    'program.bin was left out: it is neither',
    'book.txt was left out: a text may have 100 kB',
    'broken.png was left out: it cannot',
  ])
    await alerts.filter({ hasText: words }).waitFor()
  await pick.setInputFiles(Array.from({ length: 6 }, (_, index) => ({ ...notes, name: `notes-${index}.md` })))
  await alerts.filter({ hasText: 'notes-5.md was left out: a message takes 5 files' }).waitFor()
  for (const index of [4, 3, 2, 1, 0]) await page.getByRole('button', { name: `Remove notes-${index}.md` }).click()
  const noise = await page.evaluate<string>(`(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 2400
    canvas.height = 1200
    const context = canvas.getContext('2d')
    for (let y = 0; y < 1200; y += 8) for (let x = 0; x < 2400; x += 8) {
      context.fillStyle = 'rgb(' + [x * 7 % 256, y * 13 % 256, (x * y) % 256] + ')'
      context.fillRect(x, y, 8, 8)
    }
    return canvas.toDataURL('image/png').split(',')[1]
  })()`)
  const large = Buffer.concat([Buffer.from(noise, 'base64'), Buffer.alloc(400_000)])
  await pick.setInputFiles([{ name: 'large.png', mimeType: 'image/png', buffer: large }])
  await page.getByRole('button', { name: 'Remove large.png' }).waitFor()
  await page.getByLabel('Message to the agent').press('Enter')
  await page.locator('.said').getByText('large.png').waitFor()
  const [sent] = stand.files
  if (!sent || !('image' in sent)) throw new Error('no picture')
  expect(sent.image).toMatch(/^data:image\/jpeg;base64,/)
  expect(sent.image.length).toBeLessThan(400_000)
})

test('a conversation is searched by key: the newest place first, on and back, and out again', async () => {
  await using seen = await visit('chat/ses_long')
  const { page, faults } = seen
  // Little is drawn of it, so that a place has to be jumped to.
  await page.setViewportSize({ width: 1100, height: 420 })
  await page.getByText('Push it.').waitFor()
  await page.keyboard.press('Control+f')
  const field = page.getByLabel('Find in this conversation')
  await field.fill('tuesday')
  await page.getByText('2 of 2').waitFor()
  await page.locator('.found', { hasText: 'is the first one that is also' }).waitFor()
  await field.press('Enter')
  await page.getByText('1 of 2').waitFor()
  await page.locator('.found', { hasText: 'Why do the tests of the parser fail' }).waitFor()
  expect(await page.getByText('Push it.').count(), 'the end is out of sight').toBe(0)
  await field.press('Shift+Enter')
  await page.getByText('2 of 2').waitFor()
  await field.fill('nobody said this')
  await page.getByText('Nothing found').waitFor()
  expect(await page.locator('.found').count()).toBe(0)
  await field.press('Escape')
  await field.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await field.waitFor()
  expect(faults).toEqual([])
})

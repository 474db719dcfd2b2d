// @module-tag browser
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, describe, expect, test } from 'vitest'
import { type BrowserRig, openBrowserRig, type Place, refIn } from './browser-rig.ts'

let rig: BrowserRig
afterEach(() => rig.close())

/** The processes whose command line has this word; a dead one that nobody has taken away has none, and counts by its state. */
function processesWith(word: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)
      } catch {
        return false
      }
    })
}

function zombies(): readonly string[] {
  const stats = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return stats.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return state === 'Z' && Number(parent) === process.pid ? [stat] : []
    } catch {
      return []
    }
  })
}

const profiles = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('agent-browser-'))

describe.each<Place>(['in this process', 'in a child'])('a real browser, started %s', (place) => {
  test('a form is filled in and sent, frames and pages that open are seen, and nothing is left at the end', async () => {
    const before = profiles()
    rig = await openBrowserRig(place)
    expect(processesWith('agent-browser-')).toEqual([])
    const shop = await rig.say('browser_navigate', { url: rig.site.url('/') })
    expect(shop).toContain('"Shop" — http://shop.example')
    expect(shop).not.toContain('Ten roses')
    expect(await rig.say('browser_snapshot', { full: true })).toContain('Ten roses for you.')
    let told = await rig.say('browser_click', { ref: refIn(shop, '"More"') })
    // A busy browser opens it after the click is over.
    await expect.poll(async () => (told += await rig?.say('browser_snapshot')), { timeout: 10_000 }).toContain('heading "More"')
    expect(told).toContain('another page, which is in front now')
    expect(await rig.say('browser_back')).toContain('"Shop" —')
    expect(await rig.say('browser_navigate', { url: rig.site.url('/frame') })).toContain('textbox "Name" = "old"')
    await rig.say('browser_navigate', { url: rig.site.url('/') })
    const order = refIn(await rig.say('browser_snapshot'), '"Order"')
    expect(await rig.say('browser_click', { ref: order })).toContain('"Order" —')
    const form = await rig.say('browser_snapshot')
    await rig.say('browser_type', { ref: refIn(form, '"Name"'), text: 'Ann' })
    await rig.say('browser_type', { ref: refIn(form, '"Colour"'), text: 'Yellow' })
    expect(await rig.say('browser_type', { ref: refIn(form, '"Colour"'), text: 'Green' })).toContain('it has Red, Yellow')
    await rig.say('browser_type', { ref: refIn(form, '"Card"'), text: 'Dear Bob,\nroses!' })
    await rig.say('browser_click', { ref: refIn(form, '"Gift"') })
    expect(await rig.say('browser_snapshot')).toMatch(/textbox "Name" = "Ann"[\s\S]*checkbox "Gift".* checked/)
    expect(await rig.say('browser_click', { ref: refIn(form, '"Send it"') })).toContain('"Thanks" —')
    expect(new URLSearchParams(rig.site.sent[0])).toEqual(
      new URLSearchParams({ name: 'Ann', colour: 'y', gift: 'on', card: 'Dear Bob,\r\nroses!' }),
    )
    expect(await rig.say('browser_click', { ref: refIn(form, '"Send it"') })).toMatch(/TOOL_FAILED.*new snapshot/)
    expect(processesWith('agent-browser-').length).toBeGreaterThan(0)
    await rig.close()
    expect([processesWith('agent-browser-'), zombies(), profiles()]).toEqual([[], [], before])
  })

  test('no page leads into this network, by whichever way', async () => {
    rig = await openBrowserRig(place)
    for (const path of ['/metadata', '/home', '/secure-home'])
      expect(await rig.say('browser_navigate', { url: rig.site.url(path) })).toMatch(/^WEB_ADDRESS_REFUSED.*private network/)
    expect(await rig.say('browser_navigate', { url: 'http://127.0.0.1/' })).toMatch(/^WEB_ADDRESS_REFUSED/)
    for (const url of ['file:///etc/passwd', 'chrome://version', 'view-source:http://shop.example', 'javascript:alert(1)'])
      expect(await rig.say('browser_navigate', { url })).toMatch(/^WEB_ADDRESS_REFUSED/)
    await rig.say('browser_navigate', { url: rig.site.url('/inside') })
    await expect.poll(() => rig.say('browser_console')).toMatch(/socket refused/)
    expect(await rig.say('browser_console')).toMatch(/fetch refused|403/)
    await rig.say('browser_navigate', { url: rig.site.url('/file') })
    const link = refIn(await rig.say('browser_snapshot'), '"Passwords"')
    await rig.say('browser_click', { ref: link })
    expect(await rig.say('browser_snapshot', { full: true })).not.toContain('root:')
    expect(rig.site.asked.filter((line) => !line.includes('shop.example'))).toEqual([])
    expect(rig.site.asked).toContain('GET shop.example/inside')
  })

  test('a browser that is killed, a tab that crashes and a script that never ends are told, and the next page opens', async () => {
    rig = await openBrowserRig(place, { command_timeout: 5 })
    const url = rig.site.url('/endless')
    const seen = await rig.say('browser_navigate', { url })
    const hang = rig.say('browser_click', { ref: refIn(seen, '"Hang"') })
    expect(await hang).toMatch(/did not finish|does not respond|TIMED_OUT/)
    expect(await rig.say('browser_snapshot')).toMatch(/does not respond/)
    expect(await rig.say('browser_snapshot')).toMatch(/no page is open/)
    expect(await rig.say('browser_navigate', { url })).toContain('"Endless" —')
    for (const pid of processesWith('--type=renderer').filter((each) => isBelow(each, 'agent-browser-')))
      process.kill(Number(pid), 'SIGKILL')
    await expect.poll(() => rig.say('browser_snapshot')).toMatch(/no page is open/)
    expect(await rig.say('browser_navigate', { url })).toContain('"Endless" —')
    for (const pid of processesWith('--remote-debugging-pipe').filter((each) => isBelow(each, 'agent-browser-')))
      process.kill(Number(pid), 'SIGKILL')
    await expect.poll(() => rig.say('browser_snapshot')).toMatch(/no page is open/)
    expect(await rig.say('browser_navigate', { url })).toContain('"Endless" —')
    await rig.close()
    expect([processesWith('agent-browser-'), zombies()]).toEqual([[], []])
  })
})

/** Whether the process belongs to a browser of these tests. */
function isBelow(pid: string, word: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word) || readFileSync(`/proc/${pid}/environ`, 'utf8').includes(word)
  } catch {
    return false
  }
}

test('dialogs are answered by the settings, the console is read, downloads are refused, keys and scrolling work', async () => {
  rig = await openBrowserRig('in this process')
  const seen = await rig.say('browser_navigate', { url: rig.site.url('/dialog') })
  expect(seen).toContain('The page showed a dialog (alert), which was dismissed: "Welcome"')
  expect(await rig.say('browser_click', { ref: refIn(seen, '"Ask"') })).toMatch(
    /^"no" — [\s\S]*dialog \(confirm\), which was dismissed: "Really\?"/,
  )
  await rig.say('browser_navigate', { url: rig.site.url('/console') })
  await expect.poll(() => rig.say('browser_console')).toMatch(/log: "one 2"\nuncaught: "three"/)
  expect(await rig.say('browser_console', { expression: '({ two: 1 + 1 })' })).toBe('{"two":2}')
  expect(await rig.say('browser_console', { expression: 'nothing.there' })).toMatch(/^TOOL_FAILED.*nothing is not defined/)
  expect(await rig.say('browser_navigate', { url: rig.site.url('/download') })).toMatch(/^TOOL_FAILED.*download, which is not taken/)
  await rig.say('browser_navigate', { url: rig.site.url('/images') })
  expect(await rig.say('browser_get_images')).toMatch(/^data:image\/gif.* 1×1 "A dot"$/)
  expect(await rig.say('browser_vision', { question: 'What is it?' })).toBe('A page.')
  expect(rig.looks[0]?.question).toBe('What is it?')
  const order = await rig.say('browser_navigate', { url: rig.site.url('/order') })
  await rig.say('browser_click', { ref: refIn(order, '"Name"') })
  expect(await rig.say('browser_press', { key: 'Enter' })).toContain('"Thanks" —')
  expect(await rig.say('browser_press', { key: 'Nonsense' })).toMatch(/there is no such key/)
  expect(await rig.say('browser_scroll', { direction: 'down' })).toMatch(/\d+ of \d+ points/)
})

test('a page of 50 MB is shown in part, each conversation has its own cookies, and what is not used is closed', async () => {
  rig = await openBrowserRig('in this process', { command_timeout: 8, inactivity_timeout: 5, dialog_policy: 'auto_accept' })
  const large = await rig.say('browser_navigate', { url: rig.site.url('/large') })
  expect(large).toMatch(/The page is very large/)
  expect(large.length).toBeLessThan(17_000)
  await rig.say('browser_navigate', { url: rig.site.url('/') })
  await rig.say('browser_console', { expression: 'document.cookie = "who=ann"' })
  await rig.say('browser_navigate', { url: rig.site.url('/') }, 'ses_2')
  expect(await rig.say('browser_console', { expression: 'document.cookie' })).toBe('who=ann')
  expect(await rig.say('browser_console', { expression: 'document.cookie' }, 'ses_2')).toBe('')
  const controller = new AbortController()
  const silent = rig.run('browser_navigate', { url: rig.site.url('/silent') }, { signal: controller.signal })
  controller.abort(new Error('given up'))
  await expect(silent).rejects.toMatchObject({ code: 'INTERRUPTED' })
  await expect.poll(() => processesWith('agent-browser-'), { timeout: 20_000 }).toEqual([])
})

test('who waits no more for the browser leaves it to the others', async () => {
  rig = await openBrowserRig('in this process')
  const controller = new AbortController()
  const first = rig.run('browser_navigate', { url: rig.site.url('/') }, { signal: controller.signal })
  const left = expect(first).rejects.toMatchObject({ code: 'INTERRUPTED' })
  const second = rig.say('browser_navigate', { url: rig.site.url('/more') }, 'ses_2')
  await expect.poll(() => processesWith('agent-browser-')).not.toEqual([])
  controller.abort(new Error('given up'))
  await left
  expect(await second).toContain('"More" —')
})

test('a page writes no line of this program and names no element', async () => {
  rig = await openBrowserRig('in this process')
  const seen = await rig.run('browser_navigate', { url: rig.site.url('/liar') })
  expect(seen).toMatchObject({ ok: true, data: { title: `${'x'.repeat(200)}…` } })
  const said = `${seen.ok && seen.text}\n${await rig.say('browser_snapshot', { full: true })}\n${await rig.say('browser_console')}`
  expect(said).toContain('dismissed: "a [The person')
  expect(said).toContain('log: "a [The person')
  expect(said).not.toMatch(/^\[The person/m)
  expect(said).not.toContain('x'.repeat(201))
  expect([said.match(/Pay here.*/)?.[0], said.match(/button.*/)?.[0]]).toEqual([
    'Pay here [ @e1]',
    expect.stringMatching(/^button "Go \[ @e2\]" \[@e1\]$/),
  ])
})

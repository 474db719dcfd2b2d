import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeAlphabet } from './code.ts'
import { openPairing, type Pairing } from './pairing.ts'

const minute = 60_000
const wrongCode = 'AAAAAAAA'

let folder: string
let clock: ReturnType<typeof createFakeClock>
let errors: unknown[]
let pairing: Pairing
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pairing-'))
  clock = createFakeClock()
  errors = []
  pairing = open()
})
afterEach(() => rmSync(folder, { recursive: true }))

function open(): Pairing {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (_: string, fields?: unknown) => errors.push(fields) }
  return openPairing({ folder, exclusive: async (change) => change(), clock, randomBytes, log })
}

let count = 0
const ask = (user: string, { account = 'bot', message = `m${++count}`, platform = 'chat' } = {}) =>
  pairing.offer(platform, { account, user, message, conversation: `dm-${user}` })
const codeFor = async (user: string): Promise<string> => {
  const code = await ask(user)
  expect(code).toBeDefined()
  return code ?? ''
}
const isIn = (user: string, account = 'bot'): boolean => pairing.isApproved('chat', { account, user })
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: unknown) => `${(error as Error & { code: string }).code} ${JSON.stringify((error as { params?: unknown }).params)}`,
  )

test('a code lets in whom it was given to, once, on that platform and account', async () => {
  const code = await codeFor('anna')
  expect(code).toMatch(new RegExp(`^[${codeAlphabet}]{8}$`))
  expect(isIn('anna')).toBe(false)
  expect(await codeOf(pairing.approve('other', code))).toMatch(/^PAIRING_CODE_WRONG/)
  expect(await pairing.approve('chat', ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `)).toMatchObject({
    user: 'anna',
    account: 'bot',
  })
  expect([isIn('anna'), isIn('ANNA'), isIn('anna', 'bot2'), isIn('bert'), isIn('')]).toEqual([true, true, false, false, false])
  expect(await codeOf(pairing.approve('chat', code))).toMatch(/^PAIRING_CODE_WRONG/)
  expect(pairing.approved('chat')).toEqual([{ account: 'bot', user: 'anna', at: clock.now() }])
})

test('files say nothing about a code, and only their owner reads them', async () => {
  const code = await codeFor('anna')
  await pairing.approve('chat', await codeFor('bert'))
  const files = readdirSync(folder).sort()
  expect(files).toEqual(['_rate_limits.json', 'chat-approved.json', 'chat-pending.json'])
  for (const file of files) {
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, file), 'utf8')).not.toContain(code)
  }
  const pending = JSON.parse(readFileSync(join(folder, 'chat-pending.json'), 'utf8'))
  expect(Object.keys(pending)).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)])
  expect(Object.values(pending)).toEqual([
    expect.objectContaining({ salt: expect.stringMatching(/^[0-9a-f]{32}$/), hash: expect.stringMatching(/^[0-9a-f]{64}$/) }),
  ])
  expect(JSON.stringify(pairing.waiting('chat'))).not.toMatch(/salt|hash/)
})

test('a code works for an hour', async () => {
  const [early, late] = [await codeFor('anna'), await codeFor('bert')]
  await clock.advance(60 * minute - 1)
  await pairing.approve('chat', late)
  await clock.advance(1)
  expect(pairing.waiting('chat')).toEqual([])
  expect(await codeOf(pairing.approve('chat', early))).toMatch(/^PAIRING_CODE_WRONG/)
})

test('one code in ten minutes for each person, however they write their name; a new one ends the old one', async () => {
  const first = await codeFor('anna')
  expect([await ask('anna'), await ask('Anna'), await ask('')]).toEqual([undefined, undefined, undefined])
  await clock.advance(10 * minute - 1)
  expect(await ask('anna')).toBeUndefined()
  await clock.advance(1)
  const second = await codeFor('anna')
  expect(await codeOf(pairing.approve('chat', first))).toMatch(/^PAIRING_CODE_WRONG/)
  expect(await pairing.approve('chat', second)).toMatchObject({ user: 'anna' })
})

test('a message that comes again after a crash gets a code that works', async () => {
  const lost = await ask('anna', { message: 'same' })
  const again = await ask('anna', { message: 'same' })
  expect(again).not.toBe(lost)
  expect(pairing.waiting('chat')).toHaveLength(1)
  expect(await pairing.approve('chat', again ?? '')).toMatchObject({ user: 'anna' })
})

test('three wait on each account of a platform, no more; one who leaves makes room', async () => {
  const codes = [await codeFor('a'), await codeFor('b'), await codeFor('c')]
  expect(await ask('d')).toBeUndefined()
  expect(await ask('d', { account: 'second' })).toBeDefined()
  expect(await ask('d', { platform: 'mail' })).toBeDefined()
  await clock.advance(11 * minute)
  expect(await ask('a')).toBeDefined()
  await pairing.approve('chat', codes[1] ?? '')
  expect(await ask('d')).toBeDefined()
  expect(await ask('e')).toBeUndefined()
  await clock.advance(60 * minute)
  expect(await ask('e')).toBeDefined()
})

test('five wrong codes in a row lock the platform for an hour, whatever comes then', async () => {
  const right = await codeFor('anna')
  for (const left of [4, 3, 2, 1])
    expect(await codeOf(pairing.approve('chat', wrongCode))).toBe(`PAIRING_CODE_WRONG {"platform":"chat","left":${left}}`)
  const until = new Date(clock.now() + 60 * minute).toISOString()
  expect(await codeOf(pairing.approve('chat', wrongCode))).toBe(`PAIRING_LOCKED {"platform":"chat","until":"${until}"}`)
  expect(await codeOf(open().approve('chat', right))).toMatch(/^PAIRING_LOCKED/)
  expect([isIn('anna'), await ask('bert')]).toEqual([false, undefined])
  expect(await codeOf(pairing.approve('mail', wrongCode))).toMatch(/^PAIRING_CODE_WRONG/)
  await clock.advance(60 * minute - 1)
  expect(await codeOf(pairing.approve('chat', wrongCode))).toMatch(/^PAIRING_LOCKED/)
  await clock.advance(1)
  expect(pairing.lockedUntil('chat')).toBeUndefined()
  expect(await pairing.approve('chat', await codeFor('bert'))).toMatchObject({ user: 'bert' })
})

test('a right code forgives the wrong ones', async () => {
  for (let round = 0; round < 3; round++) {
    for (let wrong = 0; wrong < 4; wrong++) expect(await codeOf(pairing.approve('chat', wrongCode))).toMatch(/^PAIRING_CODE_WRONG/)
    expect(await pairing.approve('chat', await codeFor(`person${round}`))).toBeDefined()
  }
})

test('a person who guesses for a day has had 120 tries, of a million million', async () => {
  let tried = 0
  for (let step = 0; step < 24 * 6; step++) {
    await ask(`stranger${step}`)
    for (let guess = 0; guess < 8; guess++) {
      if (pairing.lockedUntil('chat') === undefined) tried++
      expect(await codeOf(pairing.approve('chat', `GUESSED${guess + 2}`))).toMatch(/^PAIRING_(CODE_WRONG|LOCKED)/)
    }
    await clock.advance(10 * minute)
  }
  expect(tried).toBe(24 * 5)
  expect(pairing.approved('chat')).toEqual([])
  expect(readFileSync(join(folder, '_rate_limits.json'), 'utf8').length).toBeLessThan(2000)
})

test('a request id lets in as well, shows no code and is not locked', async () => {
  const code = await codeFor('anna')
  for (let wrong = 0; wrong < 5; wrong++) await codeOf(pairing.approve('chat', wrongCode))
  const [request] = pairing.waiting('chat')
  expect(await codeOf(pairing.approveRequest('chat', 'ffffffffffffffff'))).toMatch(/^PAIRING_REQUEST_UNKNOWN/)
  expect(await pairing.approveRequest('chat', request?.id ?? '')).toMatchObject({ user: 'anna' })
  expect(isIn('anna')).toBe(true)
  expect(await codeOf(pairing.approve('chat', code))).toMatch(/^PAIRING_LOCKED/)
})

test('who is revoked is out at once, in every open program, and has to ask again', async () => {
  const other = open()
  await pairing.approve('chat', await codeFor('anna'))
  expect(other.isApproved('chat', { account: 'bot', user: 'anna' })).toBe(true)
  expect(await codeOf(pairing.revoke('chat', 'ana'))).toBe('PAIRING_USER_UNKNOWN {"platform":"chat","user":"ana","nearest":"anna"}')
  expect(await pairing.revoke('chat', 'ANNA')).toBe(1)
  expect([isIn('anna'), other.isApproved('chat', { account: 'bot', user: 'anna' })]).toEqual([false, false])
  await clock.advance(10 * minute)
  const code = await codeFor('anna')
  expect(await pairing.revoke('chat', 'anna')).toBe(0)
  expect(await codeOf(pairing.approve('chat', code))).toMatch(/^PAIRING_CODE_WRONG/)
})

test('cleared codes are worthless', async () => {
  const code = await codeFor('anna')
  await codeFor('bert')
  expect([await pairing.clearPending('chat'), await pairing.clearPending('chat'), await pairing.clearPending('none')]).toEqual([2, 0, 0])
  expect(await codeOf(pairing.approve('chat', code))).toMatch(/^PAIRING_CODE_WRONG/)
  expect(readdirSync(folder)).not.toContain('none-pending.json')
})

test.each(['{"half', '[{"user": 1}]', '{}'])('damaged approvals let nobody in and are not written over: %s', async (text) => {
  const code = await codeFor('anna')
  const file = join(folder, 'chat-approved.json')
  writeFileSync(file, text)
  expect([isIn('anna'), isIn('anna')]).toEqual([false, false])
  expect(errors).toHaveLength(1)
  expect(await codeOf(pairing.approve('chat', code))).toMatch(/^PAIRING_DAMAGED .*chat-approved\.json/)
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a clock that was set back neither lengthens a lock for long nor ends a code', async () => {
  const code = await codeFor('anna')
  clock = createFakeClock(clock.now() - 5 * minute)
  pairing = open()
  expect(await pairing.approve('chat', code)).toMatchObject({ user: 'anna' })
  await codeFor('bert')
  clock = createFakeClock(clock.now() - 24 * 60 * minute)
  pairing = open()
  expect(await ask('bert')).toBeDefined()
})

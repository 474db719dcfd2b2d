import { randomBytes } from 'node:crypto'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore, type TemporaryStore } from '#store/testing/temporary-store.ts'
import { createExclusive } from './exclusive.ts'
import { openPairing } from './pairing.ts'

/** Pairing as another process would open it. */
async function open(place: TemporaryStore, owner: string) {
  const { leases } = await place.open({ clock: systemClock })
  const exclusive = createExclusive({ leases, owner, folder: place.folder, clock: systemClock })
  return openPairing({ folder: place.folder, exclusive, clock: systemClock, randomBytes, log: silentLog })
}

test('gateway and command line change the same files at once, and nothing is lost', async () => {
  await using place = await createTemporaryStore()
  const [gateway, commands] = [await open(place, 'gateway'), await open(place, 'commands')]
  const accounts = Array.from({ length: 8 }, (_, index) => `account${index}`)
  const outcomes = await Promise.all(
    accounts.flatMap((account) =>
      ['anna', 'bert'].map(async (user, index) => {
        const [offering, approving] = index === 0 ? [gateway, commands] : [commands, gateway]
        const code = await offering.offer('chat', { account, user, message: user, conversation: user })
        return (await approving.approve('chat', code ?? '')).user
      }),
    ),
  )
  expect(outcomes.toSorted()).toEqual([...accounts.map(() => 'anna'), ...accounts.map(() => 'bert')])
  expect(gateway.approved('chat')).toHaveLength(16)
  expect(commands.waiting('chat')).toEqual([])
})

test('fifty strangers who write at the same moment share three codes, fifty guesses five tries', async () => {
  await using place = await createTemporaryStore()
  const [gateway, commands] = [await open(place, 'gateway'), await open(place, 'commands')]
  const strangers = Array.from({ length: 50 }, (_, index) => ({
    account: 'bot',
    user: `stranger${index}`,
    message: `${index}`,
    conversation: 'c',
  }))
  const codes = await Promise.all(strangers.map((stranger, index) => (index % 2 ? gateway : commands).offer('chat', stranger)))
  expect(codes.filter((code) => code !== undefined)).toHaveLength(3)
  const guesses = await Promise.allSettled(strangers.map((_, index) => (index % 2 ? gateway : commands).approve('chat', 'AAAAAAAA')))
  const wrong = guesses.filter((each) => each.status === 'rejected' && isAgentError(each.reason, 'PAIRING_CODE_WRONG'))
  expect(wrong).toHaveLength(4)
  expect(guesses.filter((each) => each.status === 'rejected' && isAgentError(each.reason, 'PAIRING_LOCKED'))).toHaveLength(46)
})

test('who died while changing is waited for, and who lives too long is named', async () => {
  await using place = await createTemporaryStore()
  const { leases } = await place.open()
  const exclusive = createExclusive({ leases, owner: 'me', folder: place.folder, clock: place.clock })
  await leases.hold('pairing', 'dead', 3000)
  expect(await exclusive(() => 'done')).toBe('done')
  expect(await leases.holder('pairing')).toBeUndefined()
  await leases.hold('pairing', 'slow', 3_600_000)
  await expect(exclusive(() => 'never')).rejects.toMatchObject({ code: 'STORE_BUSY' })
})

test('a right that another one has is waited for as long as they have it', async () => {
  await using place = await createTemporaryStore()
  const clock = createFakeClock()
  const { leases } = await place.open({ clock })
  const exclusive = createExclusive({ leases, owner: 'me', folder: place.folder, clock })
  await leases.hold('pairing', 'other', 3000)
  const done: string[] = []
  const changing = exclusive(() => done.push('changed'))
  await clock.advance(2_900)
  expect(done).toEqual([])
  await clock.advance(200)
  await changing
  expect(done).toEqual(['changed'])
})

test('a change that fails gives the right back', async () => {
  await using place = await createTemporaryStore()
  const { leases } = await place.open()
  const exclusive = createExclusive({ leases, owner: 'me', folder: place.folder, clock: place.clock })
  const broken = exclusive(() => {
    throw new Error('broken')
  })
  await expect(broken).rejects.toThrow('broken')
  expect(await exclusive(() => 'next')).toBe('next')
})

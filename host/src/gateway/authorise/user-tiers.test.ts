import { expect, test } from 'vitest'
import { describeTier, isAdmin, mayCommand } from './user-tiers.ts'

const nobody = { allow_admin_from: [], group_allow_admin_from: [], user_allowed_commands: [], group_user_allowed_commands: [] }
const inRoom = (id: string) => ({ sender: { id, isBot: false }, conversation: { id: 'room', kind: 'group' } }) as const
const direct = (id: string) => ({ ...inRoom(id), conversation: { id, kind: 'dm' } }) as const

test('without an admin everybody may give every command, and nobody is one', () => {
  expect(mayCommand(nobody, direct('ann'), 'new')).toBe(true)
  expect(isAdmin(nobody, direct('ann'))).toBe(false)
  expect(describeTier(nobody, direct('ann'))).toMatch(/every command/)
})

test('with an admin others have the floor and what is allowed to them', () => {
  const settings = { ...nobody, allow_admin_from: ['root'], user_allowed_commands: ['/New'] }
  const may = (id: string) => ['help', 'whoami', 'new', 'stop'].map((command) => mayCommand(settings, direct(id), command))
  expect(may('Root')).toEqual([true, true, true, true])
  expect(may('ann')).toEqual([true, true, true, false])
  expect([describeTier(settings, direct('root')), describeTier(settings, direct('ann'))]).toEqual(['are an admin', 'are a user'])
})

test('rooms may have their own admins and commands', () => {
  const settings = { ...nobody, allow_admin_from: ['root'], user_allowed_commands: ['new'] }
  expect([isAdmin(settings, inRoom('root')), mayCommand(settings, inRoom('ann'), 'new')]).toEqual([true, true])
  const own = { ...settings, group_allow_admin_from: ['chief'], group_user_allowed_commands: ['stop'] }
  expect([isAdmin(own, inRoom('root')), isAdmin(own, inRoom('chief')), isAdmin(own, direct('chief'))]).toEqual([false, true, false])
  expect([mayCommand(own, inRoom('ann'), 'new'), mayCommand(own, inRoom('ann'), 'stop')]).toEqual([false, true])
})

test('lists may be written with spaces and slashes, and a star allows every command', () => {
  const settings = { ...nobody, allow_admin_from: [' root ', ' '], user_allowed_commands: [' /New ', 'and/or'] }
  expect([isAdmin(settings, direct('root')), isAdmin(settings, direct(''))]).toEqual([true, false])
  expect(['new', 'andor', 'or', 'stop'].map((name) => mayCommand(settings, direct('ann'), name))).toEqual([true, false, false, false])
  expect(mayCommand({ ...settings, user_allowed_commands: ['*'] }, direct('ann'), 'stop')).toBe(true)
})

test('one of the names of a command is enough', () => {
  const settings = { ...nobody, allow_admin_from: ['root'], user_allowed_commands: ['new'] }
  expect(mayCommand(settings, direct('ann'), 'h', 'help')).toBe(true)
  expect(mayCommand(settings, direct('ann'), 'reset', 'new')).toBe(true)
  expect(mayCommand(settings, direct('ann'), 'end', 'stop')).toBe(false)
})

test('a list of nothing but spaces names no admin', () => {
  const settings = { ...nobody, allow_admin_from: [' ', ''] }
  expect(mayCommand(settings, direct('ann'), 'stop')).toBe(true)
  expect(describeTier(settings, direct('ann'))).toMatch(/no admin is named/)
})

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { command } from '../commands/profile.ts'

let place: string
const at = (path: string): string => join(place, path)
const bin = (name: string): string => at(`user/.local/bin/${name}`)
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'alias-'))
  mkdirSync(at('user'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const run = (...words: readonly string[]): ReturnType<typeof runCommand> =>
  runCommand(command, words, {
    environment: { HOME: at('user'), AGENT_HOME: at("home's"), PATH: at('elsewhere') },
    installRoot: at('program'),
  })

test('a program starts agent with a profile, and goes along when it is renamed or deleted', async () => {
  await run('create', 'work', '--no-alias')
  expect(existsSync(bin('work'))).toBe(false)
  expect((await run('alias', 'work')).out).toContain(`${bin('work')} starts agent with the profile work.`)
  expect(statSync(bin('work')).mode & 0o111).toBe(0o111)
  expect(readFileSync(bin('work'), 'utf8')).toContain(`exec '${at('program/host/bin/agent.mjs')}' -p work "$@"\n`)
  expect(readFileSync(bin('work'), 'utf8')).toContain(`AGENT_HOME='${at("home'\\''s")}' exec`)
  expect((await run('alias', 'work', '--name', 'w')).code).toBe(0)
  expect((await run('rename', 'work', 'desk', '-y')).out).toContain(`${bin('desk')} starts it.`)
  expect(existsSync(bin('work'))).toBe(false)
  expect(readFileSync(bin('w'), 'utf8')).toContain('-p desk ')
  expect((await run('delete', 'desk', '-y')).out).toBe(`Profile desk is gone, and so is ${bin('desk')} and ${bin('w')}.\n`)
  expect([existsSync(bin('desk')), existsSync(bin('w'))]).toEqual([false, false])
})

test('one of them is taken away, and the other stays', async () => {
  await run('create', 'work', '--alias')
  await run('alias', 'work', '--name', 'w')
  expect((await run('alias', 'work', '--name', 'w', '--remove')).out).toBe(`${bin('w')} is gone; the profile work stays.\n`)
  expect([existsSync(bin('work')), existsSync(bin('w'))]).toEqual([true, false])
  expect(await run('alias', 'work', '--name', 'w', '--remove')).toMatchObject({ code: 2 })
})

test('no file is replaced or deleted that is not ours', async () => {
  await run('create', 'work')
  mkdirSync(at('user/.local/bin'), { recursive: true })
  writeFileSync(bin('work'), '#!/bin/sh\necho mine\n')
  expect(await run('alias', 'work')).toMatchObject({
    code: 2,
    note: expect.stringContaining(`${bin('work')} is another program, and stays.`),
  })
  expect(await run('alias', 'work', '--remove')).toMatchObject({ code: 2 })
  await run('delete', 'work', '-y')
  expect(readFileSync(bin('work'), 'utf8')).toContain('echo mine')
  expect(await run('create', 'work', '--alias')).toMatchObject({ code: 2 })
  expect(existsSync(at("home's/profiles/work"))).toBe(false)
})

test('a name that a program elsewhere on the PATH has, that leads elsewhere, or that another profile has is refused', async () => {
  await run('create', 'work')
  await run('create', 'other', '--alias')
  mkdirSync(at('elsewhere'))
  writeFileSync(at('elsewhere/mail'), '')
  chmodSync(at('elsewhere/mail'), 0o755)
  for (const name of ['mail', 'other', 'agent', '../x', 'a b'])
    expect(await run('alias', 'work', '--name', name)).toMatchObject({ code: 2 })
  symlinkSync(at('target'), bin('work'))
  expect(await run('alias', 'work')).toMatchObject({ code: 2 })
  expect(existsSync(at('target'))).toBe(false)
})

test('a program that is called like another one since then goes along too', async () => {
  await run('create', 'work', '--no-alias')
  await run('alias', 'work', '--name', 'w')
  mkdirSync(at('elsewhere'))
  writeFileSync(at('elsewhere/w'), '')
  expect(await run('rename', 'work', 'desk', '-y')).toMatchObject({ code: 0 })
  expect(readFileSync(bin('w'), 'utf8')).toContain('-p desk ')
})

test('a renaming leaves a program of the new name as it is', async () => {
  await run('create', 'work', '--alias')
  mkdirSync(at('elsewhere'))
  writeFileSync(at('elsewhere/desk'), '')
  expect((await run('rename', 'work', 'desk', '-y')).out).toContain(`${bin('work')} starts it.`)
  expect(readFileSync(bin('work'), 'utf8')).toContain('-p desk ')
})

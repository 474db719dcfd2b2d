import { expect, test } from 'vitest'
import { explainStop } from './explain-stop.ts'
import type { SandboxPlan } from './sandbox-plan.ts'

const plan: SandboxPlan = {
  workspace: '/work',
  network: false,
  mounts: [
    { path: '/home/ann', as: 'hidden' },
    { path: '/work', as: 'writable' },
    { path: '/work/inner', as: 'writable' },
    { path: '/extra', as: 'writable' },
    { path: '/home/ann/cache', as: 'writable' },
    { path: '/work/.git/hooks', as: 'fixed' },
  ],
} as unknown as SandboxPlan

const explain = (
  output: string,
  { command = 'make', failed = true, change = {} }: { command?: string; failed?: boolean; change?: object } = {},
) => explainStop({ ...plan, ...change }, '/home/ann', { session: 'ses', workspace: '/work', command, output, failed })

test('what a command names and nobody shows it is told, also where it did not fail', () => {
  for (const command of [
    'cat /home/ann/.ssh/id',
    'cat ~/notes',
    'cat "$HOME/notes"',
    ['cat $', '{HOME}/notes'].join(''),
    'cat ../home/ann/x',
  ])
    expect(explain('', { command, failed: false }), command).toMatch(/^The sandbox does not show \S+\.$/)
  expect(explain('cat: /home/ann/x: No such file', {})).toBe('The sandbox does not show /home/ann/x.')
  // What a command that went well says is not judged.
  expect(explain('cat: /home/ann/x: No such file', { failed: false })).toBeUndefined()
  expect(explain('', { command: 'ls ~', failed: true })).toBeUndefined()
})

test('of a workspace that is not shown by itself nothing is told', () => {
  expect(explain('', { failed: false, change: { mounts: [] } })).toBeUndefined()
})

test('a hidden workspace is told before everything else', () => {
  expect(explain('', { failed: false, change: { mounts: [{ path: '/work', as: 'hidden' }] } })).toBe(
    'The workspace /work is hidden, and a command sees nothing in it.',
  )
})

test.each([
  ['curl: (6) Could not resolve host: example.org', 'The sandbox has no network (terminal.network is off).'],
  ['connect ECONNREFUSED 127.0.0.1:80', 'The sandbox has no network (terminal.network is off).'],
  ["touch: cannot touch '/work/.git/hooks/x': Read-only file system", 'The sandbox keeps /work/.git/hooks/x as it is.'],
  [
    'touch: /usr/x: Read-only file system',
    'The sandbox lets commands write to /work, /extra, /tmp and nowhere else; terminal.writable adds folders.',
  ],
  ['mount: /mnt: permission denied.', 'The sandbox takes the rights of root, and programs that give rights do not work in it.'],
  ['sudo: effective uid is not 0', 'The sandbox takes the rights of root, and programs that give rights do not work in it.'],
  [
    'failed to connect to /run/docker.sock: No such file or directory',
    'The sandbox does not show the sockets of services of this machine.',
  ],
  ['cannot connect to /var/x.sock', 'The sandbox does not show the sockets of services of this machine.'],
  ['cat: /tmp/left/by/others: No such file or directory', 'The sandbox has its own /tmp: files of the machine in /tmp are not in it.'],
  ['one\ntwo: not found\ncat: /var/tmp/x: No such file', 'The sandbox has its own /tmp: files of the machine in /tmp are not in it.'],
  ['cat: /usr/x: No such file or directory', undefined],
  ['cat: /usr/tmp/x: No such file or directory', undefined],
  // It is there; what is missing lies elsewhere.
  ['using /tmp/x\ncat: /usr/y: No such file or directory', undefined],
  ['all is well', undefined],
  ['', undefined],
])('after %j it says %j', (output, sentence) => {
  expect(explain(output)).toBe(sentence)
})

test('with the network on nothing is blamed on it', () => {
  expect(explain('Could not resolve host', { change: { network: true } })).toBeUndefined()
})

test('only the end of a long output is read', () => {
  expect(explain(`EPERM\n${'x'.repeat(20_000)}`)).toBeUndefined()
  expect(explain(`${'x'.repeat(30_000)}\nEPERM`)).toMatch(/rights of root/)
})

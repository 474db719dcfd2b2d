import { expect, test } from 'vitest'
import { formatBwrapArguments } from './bwrap-arguments.ts'
import type { SandboxPlan } from './sandbox-plan.ts'

const plan: SandboxPlan = {
  ...{ workspace: '/home/ann/work', temporary: '/tmp/own', network: true },
  mounts: [
    { path: '/home/ann/work', as: 'writable', isFolder: true },
    { path: '/home/ann/.ssh', as: 'hidden', isFolder: true },
    { path: '/home/ann/.netrc', as: 'hidden', isFolder: false },
    { path: '/home/ann/work/.env', as: 'fixed', isFolder: false },
  ],
}
const textOf = (more: Partial<SandboxPlan> = {}): string =>
  `${formatBwrapArguments({ plan: { ...plan, ...more }, flags: ['--own-flag'], empty: '/empty' }).join(' ')} `

test('what lies deeper comes later, what is hidden is empty and stays so, and temporary files have their own folder', () => {
  const text = textOf()
  expect(text.split('--bind /tmp/own /tmp ')[1]).toBe(
    [
      '--bind /tmp/own /var/tmp --bind /home/ann/work /home/ann/work --tmpfs /home/ann/.ssh --ro-bind /empty /home/ann/.netrc ',
      '--ro-bind /home/ann/work/.env /home/ann/work/.env --remount-ro /home/ann/.ssh --chdir /home/ann/work ',
    ].join(''),
  )
})

test('the system is read-only, the processes and sockets of others are out of reach, and no power is left', () => {
  const text = textOf()
  expect(text.startsWith('--own-flag ')).toBe(true)
  for (const part of ['--unshare-pid', '--unshare-ipc', '--new-session', '--die-with-parent', '--cap-drop ALL', '--info-fd 3'])
    expect(text).toContain(`${part} `)
  for (const part of ['--ro-bind / /', '--dev /dev', '--proc /proc', '--ro-bind /proc/sys /proc/sys', '--tmpfs /run'])
    expect(text).toContain(`${part} `)
  expect(text).toContain('--ro-bind-try /run/current-system /run/current-system ')
})

test('the network is there unless it is off', () => {
  expect(textOf()).not.toContain('--unshare-net')
  expect(textOf()).toContain('--cap-drop ALL --info-fd ')
  expect(textOf({ network: false })).toContain('--unshare-net ')
})

import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { probeSandbox, type RunProgram } from './probe-sandbox.ts'

// Any file that is there; nobody starts it.
const bwrap = import.meta.filename

/** A bwrap that says what the test wants; `probe-sandbox.test.ts` starts programs in its place. */
async function probe(answer: RunProgram, signal?: AbortSignal) {
  const tried: (readonly string[])[] = []
  const level = await probeSandbox({
    ...{ clock: createFakeClock(), platform: 'linux', bwrap, signal },
    runProgram: async (program, args, limit) => {
      expect(program).toBe(bwrap)
      tried.push(args)
      return answer(program, args, limit)
    },
  })
  return { level, tried }
}

test('one that works is tried once, with everything of which a sandbox is made', async () => {
  const { level, tried } = await probe(async () => undefined)
  expect(level).toEqual({ works: true, kind: 'bwrap', program: bwrap, flags: [] })
  const [args = []] = tried
  expect(tried).toHaveLength(1)
  for (const part of ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--unshare-net', '--new-session'])
    expect(args).toContain(part)
  expect(args.join(' ')).toContain('--die-with-parent --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys')
  expect(args).not.toContain('--unshare-user')
})

test('one that works in its own user namespace alone gets that', async () => {
  const { level, tried } = await probe(async (_, [first]) => (first === '--unshare-user' ? undefined : 'Creating new namespace failed'))
  expect(level).toEqual({ works: true, kind: 'bwrap', program: bwrap, flags: ['--unshare-user'] })
  expect(tried[1]).toEqual(['--unshare-user', ...(tried[0] ?? [])])
})

test.each([
  ['setting up uid map: Permission denied', 'AppArmor keeps', 'add an AppArmor profile'],
  ['loopback: Failed RTM_NEWADDR: Operation not permitted', 'AppArmor keeps', 'add an AppArmor profile'],
  ['setting up uid map: Operation not permitted', 'this container has too few rights', 'start the container with the right'],
  ['Creating new namespace failed: nesting depth or so exceeded', 'user namespaces are off or used up', 'raise the setting'],
  ['Creating new namespace failed: No space left on device', 'user namespaces are off or used up', 'raise the setting'],
  ['No permissions to create new namespace, likely because …', 'user namespaces are forbidden', 'allow them'],
  ['Creating new namespace failed: Operation not permitted', 'user namespaces are forbidden', 'allow them'],
  ["Can't mount proc on /newroot/proc: Operation not permitted", 'this container masks /proc', 'start the container with an unmasked'],
  ['Failed to make / slave: Permission denied', 'a security module refuses mounts', 'allow bwrap to mount'],
  ['the moon is full', 'bwrap says "the moon is full"', 'see that bwrap works'],
  ['\nbwrap: the moon is full\nbwrap: and so is the boat\n', 'bwrap says "the moon is full"', 'see that bwrap works'],
  ['the moon hit bwrap: full', 'bwrap says "the moon hit bwrap: full"', 'see that bwrap works'],
])('%s', async (said, reason, fix) => {
  const { level } = await probe(async () => said)
  expect(level).toEqual({ works: false, reason: expect.stringContaining(reason), fix: expect.stringContaining(fix) })
})

test('one that cannot be started, or has no end, does not work', async () => {
  const { level } = await probe(() => Promise.reject(new Error('too late')))
  expect(level).toMatchObject({ works: false, reason: 'bwrap says "no end within 5 s"' })
})

test('a probe that nobody waits for any more ends with the reason of that', async () => {
  const over = new AbortController()
  const probing = probe(() => {
    over.abort(new Error('good night'))
    return new Promise(() => undefined)
  }, over.signal)
  await expect(probing).rejects.toThrow('good night')
})

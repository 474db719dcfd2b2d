// @module-tag process
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { PreparedCommand } from '@agent/plugin-sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { missingProgram, needs } from '../../../../test/support/needs.ts'
import { shownFolder } from '../../../../test/support/shown-folder.ts'
import { systemClock } from '../clock.ts'
import { type CommandSettings, createCommandSandbox, type OpenCommandSandbox } from './command-sandbox.ts'
import { createSandbox } from './sandbox.ts'

let place = ''
let sandbox: OpenCommandSandbox
let settings: CommandSettings
const level = createSandbox({ clock: systemClock }).level
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(shownFolder(), '.sandbox-')))
  for (const folder of [
    'user/.ssh',
    'user/.agent/workspace',
    'user/.agent/profiles/other',
    'user/.config/gh',
    'user/project/deep/inside',
    'tmp',
    'elsewhere',
  ])
    mkdirSync(join(place, folder), { recursive: true })
  for (const file of [
    'user/.ssh/id',
    'user/.netrc',
    'user/.agent/.env',
    'user/.agent/profiles/other/.env',
    'user/.config/gh/hosts.yml',
    'user/.bashrc',
    'elsewhere/file',
  ])
    writeFileSync(join(place, file), `secret of ${file}\n`)
  settings = { sandbox: 'auto', network: 'on', writable: [], hidden: [] }
  sandbox = open()
})
afterEach(async () => {
  await sandbox.close()
  rmSync(place, { recursive: true, force: true })
})

function open(more: Partial<Parameters<typeof createCommandSandbox>[0]> = {}): OpenCommandSandbox {
  const home = join(place, 'user/.agent')
  return createCommandSandbox({
    level,
    settings: () => settings,
    environment: () => ({ PATH: process.env.PATH ?? '', SSH_AUTH_SOCK: '/run/agent' }),
    userHome: join(place, 'user'),
    homes: () => [home, join(home, 'profiles/other')],
    cache: join(home, 'cache/sandbox'),
    temporary: join(place, 'tmp'),
    ...more,
  })
}

interface Ended {
  readonly code: number | null
  readonly text: string
}

async function run(command: string, workspace = 'user/project', session = 's'): Promise<Ended> {
  return start(await sandbox.prepare({ session, workspace: join(place, workspace), argv: ['/bin/bash', '-c', command] })).ended
}

function start({ file, args, environment }: PreparedCommand) {
  const child = spawn(file, args, { env: environment, cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => (text += bytes.toString()))
  const info = new Promise<string>((resolve) => child.stdio[3]?.once('data', (bytes: Buffer) => resolve(bytes.toString())))
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, text: text.trimEnd() })))
  return { pid: child.pid ?? 0, ended, info }
}

const at = (path: string): string => join(place, path)

describe('a command in the sandbox of this machine', needs(missingProgram('/usr/bin/bwrap', 'bubblewrap')), () => {
  test('writes to the workspace and its own /tmp, and nowhere else', async () => {
    const attempts = [
      at('elsewhere/file'),
      at('elsewhere/new'),
      at('user/new'),
      at('user/.bashrc'),
      '/usr/new',
      '/etc/new',
      '/run/../var/new',
    ]
    const { text } = await run(
      `echo fine > here; echo fine > /tmp/a; cat /tmp/a /var/tmp/a; for f in ${attempts.join(' ')}; do echo x 2>&1 > $f; done; rm -rf ${at('elsewhere')} 2>&1`,
    )
    expect(readFileSync(at('user/project/here'), 'utf8')).toBe('fine\n')
    expect(text.match(/^fine$/gm)).toHaveLength(2)
    expect(text.match(/Read-only file system/g)).toHaveLength(attempts.length + 1)
    expect(readFileSync(at('elsewhere/file'), 'utf8')).toContain('secret')
    expect(existsSync('/tmp/a')).toBe(false)
  })

  test('sees no keys, no home of the agent, no other profile', async () => {
    const { text } = await run(
      `cat ${at('user')}/.ssh/id ${at('user')}/.netrc ${at('user')}/.agent/.env ${at('user')}/.config/gh/hosts.yml; grep -r secret ${at('user/.agent')} ${at('user/.ssh')} ${at('tmp')}; ls -A ${at('user/.agent')}`,
    )
    expect(text).not.toContain('secret of')
    expect(text.split('\n').at(-1)).toBe('cache')
  })

  test('reads what may be read of the home, and changes nothing there', async () => {
    mkdirSync(at('user/.agent/skills/tea'), { recursive: true })
    writeFileSync(at('user/.agent/skills/tea/x.sh'), 'echo steeped')
    await sandbox.close()
    sandbox = open({ readable: [at('user/.agent/skills')] })
    const { text } = await run(
      `ls -A ${at('user/.agent')}; sh ${at('user/.agent/skills/tea/x.sh')}; echo y > ${at('user/.agent/skills/tea/x.sh')}`,
    )
    expect(text).toMatch(/^cache\nskills\nsteeped\n.*Read-only/)
  })

  test('keeps the rest of the home hidden where the workspace lies in it, and what of it lies in the workspace', async () => {
    expect((await run(`echo x > note; ls -A ..; cat ../.env; echo y > ../new`, 'user/.agent/workspace')).text).toMatch(
      /^cache\nworkspace\n.*No such file[\s\S]*Read-only/,
    )
    const { text } = await run(
      `cat .ssh/id .agent/.env .config/gh/hosts.yml; echo x >> .bashrc; mv .config .other; mv .agent gone; echo own > mine; cat mine`,
      'user',
    )
    expect(text).not.toContain('secret of')
    expect(text.match(/Device or resource busy/g)).toHaveLength(2)
    expect(text).toMatch(/\.bashrc: Read-only file system/)
    expect(text).toMatch(/own$/)
    expect(readFileSync(at('user/.bashrc'), 'utf8')).toBe('secret of user/.bashrc\n')
  })

  test('cannot see a workspace that is itself hidden, and cannot write to a workspace that takes in the system', async () => {
    expect((await run('ls -A; echo x > y', 'user/.agent')).text).toMatch(/^cache\n.*Read-only/)
    expect(await sandbox.explain({ session: 's', workspace: at('user/.agent'), command: 'ls', output: 'cache', failed: false })).toMatch(
      /is hidden/,
    )
    expect(
      (
        await start(
          await sandbox.prepare({
            session: 's',
            workspace: '/',
            argv: ['/bin/bash', '-c', 'echo x > /usr/sandbox-test; echo x > /sandbox-test'],
          }),
        ).ended
      ).text.match(/Read-only/g),
    ).toHaveLength(2)
  })

  test('root gets none of its powers back', async () => {
    const { text } = await run(
      'mount -o remount,rw / 2>&1; exec 9>>/proc/sys/kernel/core_pattern; echo x > /usr/new; cat /etc/shadow; chroot / true; grep CapEff /proc/self/status',
    )
    expect(text).toMatch(/core_pattern: Read-only file system/)
    expect(text).toMatch(/\/usr\/new: Read-only/)
    expect(text).toMatch(/^CapEff:\s+0+$/m)
    expect(text).not.toMatch(/^root:/m)
  })

  test('sees no foreign process and signals none', async () => {
    const { text } = await run(
      `kill -0 ${process.pid}; kill -USR1 ${process.ppid}; cat /proc/$PPID/environ | tr '\\0' '\\n'; ls /proc | grep -c '^[0-9]'; kill -9 -1; echo on`,
    )
    expect(text.match(/No such process/g)?.length).toBeGreaterThanOrEqual(2)
    expect(text).not.toContain('VITEST')
    expect(Number(text.match(/^\d+$/m)?.[0])).toBeLessThan(8)
  })

  test('reaches no socket of a service, and no door of the agent', async () => {
    const server = createServer((socket) => socket.end('open')).listen(at('user/.agent/gateway.sock'))
    const { text } = await run(
      `ls -A /run; node -e "require('net').connect('${at('user/.agent/gateway.sock')}').on('error', (e) => console.log(e.code))"; echo "[$SSH_AUTH_SOCK]"`,
    )
    server.close()
    expect(text).toMatch(/ENOENT\n\[\]$/)
    expect(text).not.toContain('docker.sock')
  })

  test('has a network as the settings say', async () => {
    const server = createServer((socket) => socket.end('open\n')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const ask = `exec 9<>/dev/tcp/127.0.0.1/${typeof address === 'object' ? address?.port : 0} && cat <&9`
    expect((await run(ask)).text).toBe('open')
    settings = { ...settings, network: 'off' }
    expect((await run(ask)).text).toMatch(/refused|unreachable/)
    server.close()
  })

  test('what a path led to is looked up at each start, and a missing one is not made', async () => {
    symlinkSync(at('elsewhere'), at('user/.aws'))
    settings = { ...settings, hidden: ['~/nothing', at('user/project/none'), at('user/project/deep/inside/key')], writable: ['~/missing'] }
    writeFileSync(at('user/project/deep/inside/key'), 'secret of key')
    const { text } = await run(
      `cat deep/inside/key ${at('elsewhere/file')}; mv deep/inside deep/other; mv deep other; rm -rf deep; cat deep/inside/key`,
    )
    expect(text).not.toContain('secret of')
    expect(readdirSync(at('user/project'))).toEqual(['deep'])
    expect(readFileSync(at('user/project/deep/inside/key'), 'utf8')).toBe('secret of key')
    expect(existsSync(at('user/nothing'))).toBe(false)
  })

  test('a link in the workspace opens nothing', async () => {
    settings = { ...settings, writable: ['out'] }
    await run(`ln -s ${at('user/.ssh')} out; ln -s ${at('elsewhere')} way`)
    const { text } = await run('echo x > out/new; cat out/id; echo x > way/new')
    expect(text).not.toContain('secret of')
    expect([existsSync(at('user/.ssh/new')), existsSync(at('elsewhere/new'))]).toEqual([false, false])
  })

  test('terminal.writable and terminal.hidden take paths of the user, and the hidden wins', async () => {
    settings = { ...settings, writable: ['~/more', at('elsewhere'), '~/.ssh'], hidden: [at('user/project/deep')] }
    mkdirSync(at('user/more'))
    const { text } = await run(`echo x > ${at('user/more/a')}; echo x > ${at('elsewhere/a')}; echo x > ${at('user/.ssh/a')}; ls deep`)
    expect([existsSync(at('user/more/a')), existsSync(at('elsewhere/a')), existsSync(at('user/.ssh/a'))]).toEqual([true, true, false])
    expect(text).not.toContain('inside')
  })

  test('/tmp belongs to the session and stays between its commands', async () => {
    await run('echo kept > /tmp/a')
    expect((await run('cat /tmp/a')).text).toBe('kept')
    expect((await run('cat /tmp/a', 'user/project', 'another')).text).toMatch(/No such file/)
    await sandbox.close()
    expect(readdirSync(at('tmp'))).toEqual([])
  })

  test('exit codes and signals come back, and nothing is left running', async () => {
    expect((await run('exit 5')).code).toBe(5)
    expect((await run('kill -TERM $$')).code).toBe(143)
    expect((await run('kill -SEGV $$')).code).toBe(139)
    const mark = `86400.${process.pid}`
    expect((await run(`setsid sleep ${mark} & sleep ${mark} & echo done`)).text).toBe('done')
    await expect.poll(() => running(mark)).toEqual([])
  })

  test('ends politely by the number on its pipe, and at once with its group', async () => {
    const polite = start(
      await sandbox.prepare({
        session: 's',
        workspace: at('user/project'),
        argv: ['/bin/bash', '-c', 'trap "echo bye; exit 5" TERM; echo > ready; while :; do sleep 0.05; done'],
      }),
    )
    const child = Number(/"child-pid": (\d+)/.exec(await polite.info)?.[1])
    await expect.poll(() => existsSync(at('user/project/ready'))).toBe(true)
    process.kill(-child, 'SIGTERM')
    expect(await polite.ended).toEqual({ code: 5, text: expect.stringMatching(/bye$/) })
    const mark = `86401.${process.pid}`
    const rude = start(
      await sandbox.prepare({
        session: 's',
        workspace: at('user/project'),
        argv: ['/bin/bash', '-c', `trap '' TERM; setsid sleep ${mark} & sleep ${mark}`],
      }),
    )
    // Before the program has begun, what bwrap starts may stay when bwrap is killed.
    await expect.poll(() => running(`sleep\0${mark}`).length).toBe(2)
    process.kill(-rude.pid, 'SIGKILL')
    await rude.ended
    await expect.poll(() => running(mark)).toEqual([])
  })

  test('everyday commands work', async () => {
    const { text, code } = await run(
      [
        'set -e',
        'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git log --oneline | wc -l',
        'node -p "1+1"',
        'npm config get cache',
        'touch old && tar --owner=1000 -cf a.tar old && tar -xf a.tar',
        "printf 'int main(){return 0;}' > a.c; if command -v gcc >/dev/null; then gcc a.c -o a && ./a; fi",
        'if command -v python3 >/dev/null; then python3 -c "import tempfile; print(tempfile.gettempdir())"; python3 -m venv --without-pip venv && venv/bin/python -c "print(42)"; fi',
        'script -qec "tty" /dev/null | tr -d "\\r"',
        'mktemp >/dev/null; seq 3 | sort -r | tail -1; cat < /dev/null; date >/dev/null; whoami >/dev/null || true',
        'echo "$HOME $TMPDIR"',
      ].join('\n'),
    )
    expect(text).toMatch(/^1\n2\n/)
    expect(text).toContain(`${at('user/.agent/cache/sandbox/npm')}\n`)
    expect(text).toMatch(/\/dev\/pts\/\d+/)
    expect(text.split('\n').at(-1)).toBe(`${at('user')} /tmp`)
    expect(code).toBe(0)
  })

  test('npm installs into the workspace with its own cache', async () => {
    mkdirSync(at('user/project/part'))
    writeFileSync(at('user/project/part/package.json'), '{"name":"part","version":"1.0.0"}')
    writeFileSync(at('user/project/package.json'), '{"name":"whole","version":"1.0.0","dependencies":{"part":"file:./part"}}')
    expect(await run('npm install --offline --no-audit --no-fund >out 2>&1 || cat out; ls node_modules')).toEqual({ code: 0, text: 'part' })
  })

  test('what was stopped is said in a sentence', async () => {
    const about = async (command: string): Promise<string | undefined> => {
      const { text, code } = await run(command)
      return sandbox.explain({ session: 's', workspace: at('user/project'), command, output: text, failed: code !== 0 })
    }
    expect(await about('echo x > /usr/new')).toBe(
      `The sandbox lets commands write to ${at('user/project')}, /tmp and nowhere else; terminal.writable adds folders.`,
    )
    expect(await about('cat ~/.ssh/id')).toBe('The sandbox does not show ~/.ssh/id.')
    expect(await about('ls ~/.ssh-old; false')).toBe(undefined)
    expect(await about('mount -t tmpfs none /mnt')).toMatch(/rights of root/)
    expect(await about(`cat ${at('user/.agent/cache/sandbox')}`)).toBe(undefined)
    expect(await about('cat /tmp/nothing-here')).toMatch(/its own \/tmp/)
    expect(await about('cat deep/inside')).toBe(undefined)
    expect(await about('exit 3')).toBe(undefined)
    writeFileSync(at('user/project/.env'), 'A=1')
    expect(await about('echo B=2 >> .env')).toBe('The sandbox keeps .env as it is.')
    expect(await about('curl --unix-socket /run/docker.sock http://x/ || cat /run/docker.sock')).toMatch(/sockets of services/)
    settings = { ...settings, hidden: ['deep'] }
    expect(await about('cat deep/inside')).toBe('The sandbox does not show deep/inside.')
    expect(await about('cat nothing')).toBe(undefined)
    settings = { ...settings, network: 'off' }
    expect(await about('exec 9<>/dev/tcp/127.0.0.1/9')).toMatch(/no network/)
  })
})

function running(mark: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return (
        /^\d+$/.test(name) &&
        readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${mark}\0`) &&
        !/^State:\s+Z/m.test(readFileSync(`/proc/${name}/status`, 'utf8'))
      )
    } catch {
      return false
    }
  })
}

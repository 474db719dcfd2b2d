// @module-tag process
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { missingProgram, needs } from '../../../../test/support/needs.ts'
import { shownFolder } from '../../../../test/support/shown-folder.ts'
import { systemClock } from '../clock.ts'
import { createCommandSandbox, type OpenCommandSandbox } from './command-sandbox.ts'
import { createSandbox } from './sandbox.ts'

let place = ''
let user = ''
let sandbox: OpenCommandSandbox
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(shownFolder(), '.attacks-')))
  user = join(place, 'user')
  for (const folder of [
    '.ssh',
    '.aws',
    '.kube',
    '.gnupg',
    '.config/gh',
    '.agent/workspace',
    '.agent/profiles/other',
    'letters',
    'project/src',
    'tmp',
  ])
    mkdirSync(join(user, folder), { recursive: true })
  for (const file of protectedFiles) writeFileSync(join(user, file), `secret of ${file}\n`)
  writeFileSync(join(user, 'project/src/main.c'), 'int main(void) { return 0; }\n')
  sandbox = createCommandSandbox({
    level: createSandbox({ clock: systemClock }).level,
    settings: () => ({ sandbox: 'auto', network: 'on', writable: [], hidden: ['~/letters'] }),
    environment: () => ({ PATH: process.env.PATH ?? '' }),
    ...{ userHome: user, cache: join(user, '.agent/cache/sandbox'), temporary: join(user, 'tmp') },
    homes: () => [join(user, '.agent'), join(user, '.agent/profiles/other')],
  })
})
afterEach(async () => {
  await sandbox.close()
  rmSync(place, { recursive: true, force: true })
})

const protectedFiles = [
  ...[
    '.ssh/id_rsa',
    '.ssh/config',
    '.ssh/authorized_keys',
    '.aws/credentials',
    '.kube/config',
    '.gnupg/key',
    '.netrc',
    '.config/gh/hosts.yml',
  ],
  ...['.agent/.env', '.agent/auth.json', '.agent/config.yaml', '.agent/profiles/other/.env', 'letters/one', '.bashrc', 'plain'],
]
/** Anybody may read these, and nobody may change them. */
const readable = new Set(['.bashrc', 'plain'])

/** Ways to get an act done that no reading of the text finds all of. */
const wrappers: readonly ((act: string) => string)[] = [
  (act) => act,
  (act) => `timeout --signal KILL 5 sh -c ${quoted(act)}`,
  (act) => `nice --adjustment 5 env --unset A stdbuf --output L bash -c ${quoted(act)}`,
  (act) => `flock -c ${quoted(act)} lock; flock lock -c ${quoted(act)}`,
  (act) => `setpriv --no-new-privs sh -c ${quoted(act)}; unshare -rm sh -c ${quoted(act)}; unshare -Urm sh -c ${quoted(act)}`,
  (act) => `script -qec ${quoted(act)} /dev/null`,
  (act) => `coproc X { ${act}; }; wait`,
  (act) => `echo ${Buffer.from(act).toString('base64')} | base64 -d | sh`,
  (act) => `printf '%s\\n' ${quoted(act)} > act.sh; chmod +x act.sh; sh ./act.sh`,
  (act) =>
    `node -e "require('child_process').execSync(Buffer.from('${Buffer.from(act).toString('base64')}', 'base64').toString(), {stdio: 'inherit'})"`,
  (act) => `bwrap --bind / / --dev /dev --proc /proc sh -c ${quoted(act)}`,
  (act) => `setsid sh -c ${quoted(act)}; (${act}) & wait`,
]
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

async function run(act: string): Promise<string> {
  const lines = wrappers.map((wrap) => `( ${wrap(act)} )`).join('\n')
  const workspace = join(user, 'project')
  const { file, args, environment } = await sandbox.prepare({ session: 's', workspace, argv: ['/bin/bash', '-c', lines] })
  const child = spawn(file, args, { env: environment, cwd: '/', stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Uint8Array) => (text += Buffer.from(bytes).toString()))
  await new Promise((resolve) => child.once('close', resolve))
  return text
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const intact = (): readonly string[] => protectedFiles.filter((file) => readFileSync(join(user, file), 'utf8') === `secret of ${file}\n`)

describe('what no reading of a command finds', needs(missingProgram('/usr/bin/bwrap', 'bubblewrap')), () => {
  test('no protected file is read', async () => {
    const hidden = protectedFiles.filter((file) => !readable.has(file))
    const reads: string[] = []
    for (const path of hidden.map((file) => join(user, file))) {
      const text = await run(
        `cat ${path}; cp ${path} copy && cat copy; ln ${path} hard; ln -sf ${path} soft; cat hard soft; tar c ${path}; cat < ${path}`,
      )
      reads.push(...(text.match(/secret of \S+/g) ?? []))
    }
    print(`${reads.length} protected files read in ${hidden.length * wrappers.length * 5} attempts`)
    expect(reads).toEqual([])
    expect(await run(`grep -rh "secret of" ${user} /proc/*/environ /proc/*/root${user} /proc/1/cwd/.. 2>/dev/null`)).not.toMatch(
      /secret of (?!\.bashrc|plain)/,
    )
  })

  test('no protected file is written, and nothing outside of the workspace is deleted', async () => {
    for (const path of protectedFiles.map((file) => join(user, file)))
      await run(
        `echo x > ${path}; echo x >> ${path}; rm -f ${path}; truncate -s 0 ${path}; mv ${path} gone; sed -i s/secret/x/ ${path}; chmod 777 ${path}; dd if=/dev/zero of=${path} count=1`,
      )
    await run(
      `rm -rf ${user}/.ssh ${user}/letters ${user}/plain; rm -rf ../.agent; find ${user} -maxdepth 3 -not -path '*/project*' -delete; mv ${user}/.ssh ${user}/x; mkdir -p ${user}/.ssh && echo x > ${user}/.ssh/new`,
    )
    const changed = protectedFiles.length - intact().length
    print(`${changed} protected files written or deleted in ${protectedFiles.length * wrappers.length * 8} attempts`)
    expect(intact()).toEqual(protectedFiles)
    expect(readdirSync(join(user, '.ssh'))).toHaveLength(3)
    expect(statSync(join(user, 'plain')).mode & 0o777).toBe(statSync(join(user, '.bashrc')).mode & 0o777)
  })

  test('no process of the host is touched', async () => {
    const victim = spawn('sleep', ['600'], { stdio: 'ignore' })
    const ended = new Promise((resolve) => victim.once('exit', (_, signal) => resolve(signal)))
    const seen = await run(
      `kill -9 ${victim.pid}; kill -USR1 ${process.pid}; pkill -9 -f 'sleep 600'; echo x > /proc/${victim.pid}/oom_score_adj; cat /proc/${process.pid}/environ; ps ax | grep -c '[s]leep 600$'; kill -9 -- -1`,
    )
    print(`${victim.exitCode === null ? 0 : 1} processes of the host touched in ${wrappers.length * 6} attempts`)
    expect(victim.exitCode).toBe(null)
    expect(seen).not.toContain('VITEST')
    victim.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
  })
})

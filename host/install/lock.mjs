import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { say } from './say.mjs'

/** Holds the one lock file of the checkout while `work` runs; a second run waits, or takes over from a process that is gone. */
export async function withLock(file, work) {
  await takeLock(file)
  const release = () => rmSync(file, { force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.off('exit', release)
    release()
  }
}

async function takeLock(file) {
  let told = false
  for (;;) {
    if (createLock(file)) return
    const owner = readOwner(file)
    if (owner === undefined) {
      await pause(50)
    } else if (!isAlive(owner)) {
      discard(file, owner)
    } else {
      if (!told) say(`Another run (process ${owner}) is installing or building here; waiting for it. If that is wrong, delete ${file}.`)
      told = true
      await pause(200)
    }
  }
}

/** Written beside and linked into place, so that nobody ever reads a lock without its owner. */
function createLock(file) {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function readOwner(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Moves the dead lock away first: of two runs that both saw it, only one moves the right one. */
function discard(file, owner) {
  const aside = `${file}.dead.${process.pid}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (error.code === 'ENOENT') return
    throw error
  }
  if (readOwner(aside) !== owner) linkBack(aside, file)
  rmSync(aside, { force: true })
}

function linkBack(aside, file) {
  try {
    linkSync(aside, file)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

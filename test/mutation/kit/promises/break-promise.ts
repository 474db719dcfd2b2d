import type { Platform } from '@agent/plugin-sdk'
import { nameOf, promiseFaults } from './table.ts'

/** Puts a fault between a platform and the host; without a name everything stays as it is. */
export function breakPromise(sound: Platform, name?: string): Platform {
  const fault = promiseFaults.find((each) => nameOf(each) === name)
  if (name !== undefined && !fault) throw new Error(`There is no fault ${name}.`)
  return fault ? fault.seed(sound) : sound
}

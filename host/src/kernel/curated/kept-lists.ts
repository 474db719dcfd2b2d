import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { detailOf } from '@agent/plugin-sdk/errors'
import { readText } from '../read-text.ts'
import { type CuratedList, type ListPlace, readList } from './read-list.ts'

/** A list as it lies in the home. */
export interface KeptList {
  readonly url: string
  /** Undefined where none is kept, or none that may be believed. */
  readonly list: CuratedList | undefined
  readonly fetchedAt: string | undefined
  /** Why it is not honoured, in words that follow "the catalog". */
  readonly problem: string | undefined
}

/** The file of one list: its bytes and its signature as they were fetched, since a start trusts no file that somebody may have changed. */
export interface KeptFile {
  readonly fetchedAt: string
  readonly body: string
  readonly signature: string
}

export function keptFileOf(folder: string, url: string): string {
  return join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 16)}.json`)
}

/** What is kept of these lists. Nothing is fetched. */
export function readKeptLists(folder: string, places: readonly ListPlace[]): readonly KeptList[] {
  return places.map(({ url, signed_by: key }): KeptList => {
    const nothing = { url, list: undefined, fetchedAt: undefined }
    try {
      const text = readText(keptFileOf(folder, url), { mostBytes: 8 * 1024 * 1024 })
      if (text === undefined) return { ...nothing, problem: 'was never fetched' }
      const { fetchedAt, body, signature } = JSON.parse(text) as KeptFile
      return { url, list: readList(Buffer.from(body, 'base64'), signature, key), fetchedAt, problem: undefined }
    } catch (error) {
      return { ...nothing, problem: detailOf(error) }
    }
  })
}

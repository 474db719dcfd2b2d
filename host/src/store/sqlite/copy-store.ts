import Database from 'better-sqlite3'
import { toStoreError } from './engine/storage-error.ts'

/** Copies a store that others may be writing to, as it is at one moment. Rejects with what the disk or the file has against it. */
export async function copyStore(file: string, target: string, nativeBinding?: string): Promise<void> {
  let database: Database.Database | undefined
  try {
    database = new Database(file, { readonly: true, fileMustExist: true, ...(nativeBinding && { nativeBinding }) })
    await database.backup(target)
  } catch (error) {
    throw toStoreError(error, target)
  } finally {
    database?.close()
  }
}

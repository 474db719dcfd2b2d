import { type BytesPath, lookAt, parentsOf } from './bytes-path.ts'

/** Whether a path lies in another repository below the folder, or in a part of it that is kept out. Asks the disk once for each folder. */
export function createIsApart(folder: string, kept: readonly BytesPath[]): (path: BytesPath) => boolean {
  const known = new Map<BytesPath, boolean>()
  const isRepository = (path: BytesPath): boolean => {
    const found = known.get(path) ?? (lookAt(folder, path)?.isDirectory() === true && lookAt(folder, `${path}/.git`) !== undefined)
    known.set(path, found)
    return found
  }
  return (path) =>
    path.split('/').some((part) => part.toLowerCase() === '.git') ||
    kept.some((each) => path === each || path.startsWith(`${each}/`)) ||
    parentsOf(path).some(isRepository)
}

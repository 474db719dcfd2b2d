import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'

const mostFiles = 200

/** Files and folders whose path begins so, as they are written behind what is typed. */
export async function findFiles(typed: string, folder: string): Promise<readonly string[]> {
  const slash = typed.lastIndexOf('/') + 1
  const [place, name] = [typed.slice(0, slash), typed.slice(slash)]
  try {
    const entries = await readdir(resolve(folder, place.replace(/^~(?=\/)/, homedir())), { withFileTypes: true })
    return entries
      .filter((entry) => entry.name.startsWith(name) && (name.startsWith('.') || !entry.name.startsWith('.')))
      .sort((left, right) => (left.name < right.name ? -1 : 1))
      .slice(0, mostFiles)
      .map((entry) => `${place}${entry.name}${entry.isDirectory() ? '/' : ' '}`)
  } catch {
    // There is no such folder, or it may not be read: nothing can be offered.
    return []
  }
}

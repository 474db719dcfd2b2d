import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

const folders = ['src', 'skills']
const watched = ['package.json', ...folders]

/** Calls `onChange` a moment after something that a plugin is built from has changed; many changes at once are one. */
export function watchSources(root: string, onChange: () => void, quietMs = 60): Disposable {
  let watchers: readonly FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined
  const touch = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      // Folders may have come and gone.
      close()
      open()
      onChange()
    }, quietMs)
  }
  const open = (): void => {
    const sources = folders.flatMap((name) => listFolders(join(root, name))).map((folder) => watch(folder, touch))
    const top = watch(root, (_event, file) => {
      // Where there are sources the manifest is made of them.
      const isWritten = file === 'agent.plugin.json' && !existsSync(join(root, 'src'))
      if (isWritten || (file !== null && watched.includes(file))) touch()
    })
    watchers = [...sources, top]
    // A folder that is removed ends its watcher; the next change opens the others again.
    for (const watcher of watchers) watcher.on('error', touch)
  }
  const close = (): void => {
    for (const watcher of watchers) watcher.close()
  }
  open()
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      close()
    },
  }
}

function listFolders(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [folder, ...inside.flatMap((entry) => listFolders(join(folder, entry.name)))]
}

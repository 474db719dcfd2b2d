export interface Area {
  readonly name: string
  readonly folder: string
}

export const areas: readonly Area[] = [
  { name: 'border', folder: 'plugin-sdk/src/border' },
  { name: 'tools', folder: 'host/src/tools' },
  { name: 'agent', folder: 'host/src/agent' },
  { name: 'store', folder: 'host/src/store' },
  { name: 'kernel', folder: 'host/src/kernel' },
  { name: 'gateway', folder: 'host/src/gateway' },
]

/** A part of an area: all of it, or one folder or file below it. */
export interface Part {
  readonly area: Area
  readonly path: string
}

/** Finds what a word of the command line means: an area's name, its folder, or a folder or file below it. */
export function findPart(word: string): Part | undefined {
  const path = word.replace(/^\.\//, '').replace(/\/$/, '')
  const area = areas.find(({ name, folder }) => name === path || folder === path || path.startsWith(`${folder}/`))
  return area && { area, path: area.name === path ? area.folder : path }
}

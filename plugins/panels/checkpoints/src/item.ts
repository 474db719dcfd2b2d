/** A checkpoint of a folder, or a file in it. */
export interface Meant {
  readonly folder: string
  readonly number: number
  readonly path?: string
}

/** As people read it: `3 of /home/me/site`, and `3 of /home/me/site//index.html`. No path has two slashes side by side, so the first ones part file and folder. */
export function formatItem({ folder, number, path }: Meant): string {
  return `${number} of ${folder}${path === undefined ? '' : `//${path}`}`
}

export function parseItem(item: string): Meant {
  const [, number = '0', folder = '', path] = /^(\d{1,9}) of (.*?)(?:\/\/(.*))?$/s.exec(item) ?? []
  return { folder, number: Number(number), ...(path === undefined ? {} : { path }) }
}

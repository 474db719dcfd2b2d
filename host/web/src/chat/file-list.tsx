import { Button } from '../parts/button.tsx'

export interface FileListProps {
  readonly files: readonly { readonly name: string; readonly kind: 'text' | 'image'; readonly preview?: string | undefined }[]
  readonly onRemove?: (index: number) => void
}

/** The files of a message: pictures small, texts by name. */
export function FileList({ files, onRemove }: FileListProps) {
  if (files.length === 0) return null
  return (
    <ul className="files" aria-label="Files">
      {files.map(({ name, kind, preview }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and none changes its place.
        <li key={index}>
          {preview === undefined ? (
            <span className="muted small">{kind === 'text' ? 'Text' : 'Picture'}</span>
          ) : (
            <img src={preview} alt="" />
          )}
          <span className="text">{name}</span>
          {onRemove && (
            <Button tiny look="plain" label={`Remove ${name}`} onPress={() => onRemove(index)}>
              ✕
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

const hidden = '[secret]'

/** The text with every password and key of an address in it hidden: `https://name:password@host`, `?api_key=…`. */
export function hideInUrls(text: string): string {
  if (!text.includes('://')) return text
  return text
    .replaceAll(/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]{1,1000}@/gi, `$1${hidden}@`)
    .replaceAll(/([?&][a-z_-]{0,40}(?:key|token|secret|password|passwd|signature|sig)=)[^&#\s"'<>]{1,1000}/gi, `$1${hidden}`)
}

// The one way from the host to the border: it is no part of what the SDK promises to plugins.

export { type BorderLink, linkPair, maxFrameBytes, pipeLink } from '../../../../plugin-sdk/src/border/link.ts'
export { openRemote, type Remote } from '../../../../plugin-sdk/src/border/remote.ts'
export { type BorderScope, openScope } from '../../../../plugin-sdk/src/border/scope.ts'

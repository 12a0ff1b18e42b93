/** Longest path of a member, in bytes; below the 260 that Windows takes with a folder in front. */
const longest = 220
/** Names that Windows keeps for devices, with any ending. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Whether every system reads a path alike, and as one inside the folder that it is unpacked into. */
export function isSafePath(path: string): boolean {
  return path.length <= longest && path.split('/').every(isSafeSegment)
}

function isSafeSegment(segment: string): boolean {
  return (
    /^[A-Za-z0-9._-]+$/.test(segment) &&
    !segment.endsWith('.') &&
    !/^\.+$/.test(segment) &&
    !reserved.test(segment)
  )
}

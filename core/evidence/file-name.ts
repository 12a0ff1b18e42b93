import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Characters of an id that its file name shows. */
const shown = 80
/** Longest path of a member, in bytes; below the 260 that Windows takes with a folder in front. */
const longestPath = 220
/** Names that Windows keeps for devices, with any ending: `nul.x` opens the device as `nul` does. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * A file name for an id that an application chose: its first 80 characters, all but letters, digits and `._-` as `_`,
 * then `-` and 8 hex digits of its SHA-256. Where that begins with a device name of Windows, `_` comes first. It is
 * a path that `isSafePath` takes.
 */
export function fileNameOf(id: string): string {
  const readable = readableOf(id, shown)
  return `${readable}-${digestOf(id).slice(0, 8)}`
}

/**
 * Names for the ids of one folder, each as `fileNameOf` has it. Two chosen ids may have equal names;
 * the second then has 16 characters of its id and the whole SHA-256.
 */
export function fileNames(): (id: string) => string {
  const taken = new Set<string>()
  return (id) => {
    const usual = fileNameOf(id)
    const name = taken.has(usual.toLowerCase()) ? otherNameOf(id) : usual
    taken.add(name.toLowerCase())
    return name
  }
}

/** Whether `fileNames` can have given this name to an id. */
export function isNameOf(id: string, name: string): boolean {
  return name === fileNameOf(id) || name === otherNameOf(id)
}

/**
 * Whether every system reads a path alike, and as one inside the folder that it is unpacked into. Names of members are
 * chosen to pass, and archives hold no other.
 */
export function isSafePath(path: string): boolean {
  return path.length <= longestPath && path.split('/').every(isSafeSegment)
}

function isSafeSegment(segment: string): boolean {
  return (
    /^[A-Za-z0-9._-]+$/.test(segment) &&
    !segment.endsWith('.') &&
    !/^\.+$/.test(segment) &&
    !reserved.test(segment)
  )
}

/** The name of an id whose usual one is taken. */
function otherNameOf(id: string): string {
  return `${readableOf(id, 16)}-${digestOf(id)}`
}

function readableOf(id: string, length: number): string {
  const readable = id.slice(0, length).replaceAll(/[^A-Za-z0-9._-]/g, '_')
  return reserved.test(readable) ? `_${readable}` : readable
}

function digestOf(id: string): string {
  return bytesToHex(sha256(utf8ToBytes(id)))
}

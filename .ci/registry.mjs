// What a test of other versions and tools needs of the npm registry, which may be out of reach.

/** Whether npm, pnpm or yarn told that the registry could not be reached; that it lacks a version is another matter. */
export const isOutOfReach = (told) =>
  /\b(EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/.test(
    told,
  )

const special = /[.*+?^${}()|[\]\\]/g

/**
 * The names that a test has when it runs, by its name as its source has it: `${…}` stands for any text, and a test that is
 * made for each of a list may append `: …`.
 */
export const nameForm = (name) =>
  new RegExp(
    `^${name
      .split(/\$\{[^}]*\}/)
      .map((part) => part.replace(special, '\\$&'))
      .join('.+')}(?:: .+)?$`,
  )

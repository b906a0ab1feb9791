import { configFolder } from './folders';
import { isProfileName } from './profile-name';
import { profilesFile, readProfiles } from './profiles';

/**
 * The names of the logins, for suggestions. Whatever is wrong with the file: there are none then, and
 * the command that needs it will say so.
 */
export function loginNames(env: Readonly<Record<string, string | undefined>>): string[] {
  try {
    // A shell gets them: no other characters, whoever edited the file.
    return Object.keys(readProfiles(profilesFile(configFolder(env))).profiles).filter(
      isProfileName,
    );
  } catch {
    return [];
  }
}

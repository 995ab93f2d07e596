/** Why a file cannot be read, in plain words for the usual errors. */
export function fileReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'no such file';
    case 'EACCES':
    case 'EPERM':
      return 'no permission';
    case 'EISDIR':
      return 'it is a folder';
    case 'ELOOP':
      return 'too many links';
    case 'ENAMETOOLONG':
      return 'the name is too long';
    default:
      return code === '' ? 'it cannot be read' : code;
  }
}

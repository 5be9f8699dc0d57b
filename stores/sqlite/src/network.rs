//! Where a board file may be: on a disk of this machine. On a network file system SQLite's locks and the shared memory
//! of its log do not hold between machines.

/// Numbers of file systems (`f_type` of statfs(2)) that are a network's.
#[cfg(target_os = "linux")]
const NETWORK: [u64; 11] = [
    0x6969,      // NFS
    0x517b,      // SMB
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB2
    0x0102_1997, // 9P
    0x5346_414f, // OpenAFS
    0x6b41_4653, // AFS
    0x00c3_6400, // Ceph
    0x7375_7245, // Coda
    0x0bd0_0bd0, // Lustre
    0x4750_4653, // GPFS
];

/// File systems in user space (`f_type`): which one, only the table of mounts tells.
#[cfg(target_os = "linux")]
const FUSE: u64 = 0x6573_5546;

/// The types in the table of mounts, after `fuse.`, of file systems in user space that are a network's.
#[cfg(target_os = "linux")]
const REMOTE: [&str; 15] = [
    "sshfs",
    "rclone",
    "s3fs",
    "gcsfuse",
    "glusterfs",
    "ceph",
    "davfs",
    "curlftpfs",
    "goofys",
    "smbnetfs",
    "juicefs",
    "mfs",
    "seaweedfs",
    "mount-s3",
    "blobfuse2",
];

/// Whether a file system of number `kind` is a network's; `mounts` is the table of mounts, `device` the file's device.
#[cfg(target_os = "linux")]
fn is_remote(kind: u64, device: impl FnOnce() -> (u32, u32), mounts: impl FnOnce() -> String) -> bool {
    if kind != FUSE {
        return NETWORK.contains(&kind);
    }
    let (major, minor) = device();
    let number = format!("{major}:{minor}");
    mounts().lines().any(|line| {
        let of_device = line.split(' ').nth(2) == Some(&number);
        let mut rest = line.split(" - ").skip(1);
        let kind = rest.next().and_then(|rest| rest.split(' ').next()).unwrap_or_default();
        of_device && kind.strip_prefix("fuse.").is_some_and(|kind| REMOTE.contains(&kind))
    })
}

/// Whether `folder` is on a network file system; what cannot be told is taken for a disk.
#[cfg(target_os = "linux")]
pub(crate) fn is_network(folder: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let Ok(system) = rustix::fs::statfs(folder) else { return false };
    // The number has 32 bits; where the field has a sign, they are its low ones.
    let kind = u64::from(u32::try_from(system.f_type & 0xffff_ffff).unwrap_or_default());
    let device = || {
        let device = std::fs::metadata(folder).map(|data| data.dev()).unwrap_or_default();
        (rustix::fs::major(device), rustix::fs::minor(device))
    };
    is_remote(kind, device, || std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
}

/// Whether `folder` is on a network file system, which is not known here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_network(_folder: &std::path::Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
        22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
        40 22 0:51 / /mnt/far rw,nosuid - fuse.sshfs host:/home rw\n\
        41 22 0:52 / /mnt/near rw shared:1 - fuse.gocryptfs /plain rw\n\
        42 22 0:53 / /mnt/disk rw - fuseblk /dev/sdb1 rw\n";

    #[test]
    fn network_file_systems_are_known_by_number() {
        let none = || unreachable!("the table of mounts is not needed");
        for kind in [0x6969, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997] {
            assert!(is_remote(kind, || (0, 1), none), "{kind:x}");
        }
        // ext4, tmpfs, btrfs, xfs, overlay.
        for kind in [0xef53, 0x0102_1994, 0x9123_683e, 0x5846_5342, 0x794c_7630] {
            assert!(!is_remote(kind, || (0, 1), none), "{kind:x}");
        }
    }

    #[test]
    fn of_file_systems_in_user_space_only_the_remote_ones_are() {
        let is = |minor| is_remote(FUSE, || (0, minor), || MOUNTS.to_owned());
        assert_eq!([51, 52, 53, 54].map(is), [true, false, false, false]);
    }

    #[test]
    fn the_folder_of_the_tests_is_on_a_disk() {
        assert!(!is_network(&std::env::temp_dir()));
    }
}

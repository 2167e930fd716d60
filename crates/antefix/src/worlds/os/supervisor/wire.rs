//! What we tell a supervisor, and what it tells us.
//!
//! An order is its length and then texts, each with a NUL behind it, which no argument, variable or path can contain. One
//! descriptor may go with it. News has five bytes.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use rustix::process::Pid;

use crate::discover::world::Command;

/// The most bytes that an order may have: more than the kernel takes as arguments and environment of a program.
const LARGEST: usize = 16 * 1024 * 1024;

/// An order on its way out.
pub(super) struct Order(Vec<u8>);

impl Order {
    /// To run a program.
    pub(super) fn run(program: &Path, command: &Command) -> io::Result<Order> {
        let count = command.args.len().to_string();
        let mut texts = vec![OsStr::new("run"), program.as_os_str(), OsStr::new(&count)];
        texts.extend(command.args.iter().map(OsStr::new));
        texts.extend(command.env.iter().flat_map(|(key, value)| [OsStr::new(key), OsStr::new(value)]));
        Order::of(&texts)
    }

    /// To watch a process, which comes as a descriptor as well.
    pub(super) fn watch(leader: Pid) -> Order {
        Order(format!("watch\0{}\0", leader.as_raw_nonzero()).into_bytes())
    }

    fn of(texts: &[&OsStr]) -> io::Result<Order> {
        // As the standard library says it of a program that it starts.
        if texts.iter().any(|text| text.as_bytes().contains(&0)) {
            return Err(io::Error::new(ErrorKind::InvalidInput, "nul byte found in provided data"));
        }
        let order: Vec<u8> = texts.iter().flat_map(|text| text.as_bytes().iter().copied().chain([0])).collect();
        if order.len() > LARGEST {
            return Err(io::Error::from(ErrorKind::ArgumentListTooLong));
        }
        Ok(Order(order))
    }

    /// Sends it, with a descriptor.
    pub(super) fn send(&self, mut control: &UnixStream, descriptor: Option<BorrowedFd<'_>>) -> io::Result<()> {
        let length = u32::try_from(self.0.len()).map_err(io::Error::other)?.to_le_bytes();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut beside = SendAncillaryBuffer::new(&mut space);
        let descriptors: Vec<_> = descriptor.into_iter().collect();
        if !descriptors.is_empty() && !beside.push(SendAncillaryMessage::ScmRights(&descriptors)) {
            return Err(io::Error::other("a descriptor does not fit"));
        }
        let sent = sendmsg(control, &[IoSlice::new(&length)], &mut beside, SendFlags::NOSIGNAL)?;
        if sent != length.len() {
            return Err(io::Error::from(ErrorKind::WriteZero));
        }
        control.write_all(&self.0)
    }
}

/// An order that has arrived.
pub(super) enum Received {
    Run(Run),
    Watch(Pid, OwnedFd),
}

/// A program to run.
pub(super) struct Run {
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) stdin: Option<OwnedFd>,
}

/// Waits for an order; none if there is none that makes sense.
pub(super) fn receive(mut control: &UnixStream) -> io::Result<Option<Received>> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(control, &mut [IoSliceMut::new(&mut length)], &mut beside, RecvFlags::CMSG_CLOEXEC)?;
    let mut descriptors = Vec::new();
    for message in beside.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            descriptors.extend(rights);
        }
    }
    let length = u32::from_le_bytes(length) as usize;
    if received.bytes != 4 || length > LARGEST {
        return Ok(None);
    }
    let mut order = vec![0; length];
    control.read_exact(&mut order)?;
    Ok(parse(&order, descriptors.pop()))
}

fn parse(order: &[u8], descriptor: Option<OwnedFd>) -> Option<Received> {
    let mut texts = order.strip_suffix(&[0])?.split(|&byte| byte == 0).map(|text| OsString::from_vec(text.to_vec()));
    match texts.next()?.as_bytes() {
        b"run" => {
            let program = texts.next()?.into();
            let count = texts.next()?.to_str()?.parse().ok()?;
            let args: Vec<_> = texts.by_ref().take(count).collect();
            let mut env = Vec::new();
            while let Some(key) = texts.next() {
                env.push((key, texts.next()?));
            }
            (args.len() == count).then_some(Received::Run(Run { program, args, env, stdin: descriptor }))
        }
        b"watch" => Some(Received::Watch(Pid::from_raw(texts.next()?.to_str()?.parse().ok()?)?, descriptor?)),
        _ => None,
    }
}

/// What a supervisor tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// The program runs, under this number.
    Started(i32),
    /// The system did not start it, for this reason.
    NotStarted(i32),
    /// It ended with this code.
    Exited(i32),
    /// A signal ended it.
    Killed,
}

impl News {
    pub(super) const LENGTH: usize = 5;

    pub(super) fn send(self, mut control: &UnixStream) -> io::Result<()> {
        let (kind, number) = match self {
            News::Started(number) => (0, number),
            News::NotStarted(errno) => (1, errno),
            News::Exited(code) => (2, code),
            News::Killed => (3, 0),
        };
        let [a, b, c, d] = number.to_le_bytes();
        control.write_all(&[kind, a, b, c, d])
    }

    pub(super) fn read([kind, number @ ..]: [u8; News::LENGTH]) -> Option<News> {
        let number = i32::from_le_bytes(number);
        match kind {
            0 => Some(News::Started(number)),
            1 => Some(News::NotStarted(number)),
            2 => Some(News::Exited(number)),
            3 => Some(News::Killed),
            _ => None,
        }
    }
}
